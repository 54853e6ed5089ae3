import { foldHandle, isStorable, LONGEST_HANDLE } from './handle.ts'
import { foldWallet, parsePassportRef, parseWallet } from './passport.ts'

/** How v3 names a passport. A text with a colon is a handle; addresses of some chains have a colon too. */
export type PassportKey = { id: number } | { wallet: string } | { handle: string; wallet: string }

/** With a source and an @ before the name; no longer text can be a key. */
const LONGEST_KEY = LONGEST_HANDLE + 1

/** `undefined` if the text is malformed: it can be no key. Only the name of a handle may have white space, inside it. */
export function parsePassportKey(text: string): PassportKey | undefined {
  if (text.length > LONGEST_KEY || !isStorable(text)) return undefined
  const colon = text.indexOf(':')
  if (colon === -1) return /\s/.test(text) ? undefined : parsePassportRef(text)
  const [source, name] = [text.slice(0, colon), text.slice(colon + 1)]
  if (source !== source.trim() || name !== name.trim()) return undefined
  const handle = foldHandle(source, name)
  return handle === undefined ? undefined : { handle, wallet: parseWallet(text) ?? foldWallet(handle) }
}
