import { parsePassportRef } from '../passport.ts'
import { foldWallet, parseWallet } from '../wallet.ts'
import { foldHandle, isStorable } from './handle.ts'

/** How v3 names a passport. A text with a colon is a handle; addresses of some chains have a colon too. */
export type PassportKey = { id: number } | { wallet: string } | { handle: string; wallet: string }

/** `undefined` if the text is malformed: it can be no key. */
export function parsePassportKey(text: string): PassportKey | undefined {
  if (!isStorable(text)) return undefined
  const colon = text.indexOf(':')
  if (colon === -1) return parsePassportRef(text)
  const handle = foldHandle(text.slice(0, colon), text.slice(colon + 1))
  return handle === undefined ? undefined : { handle, wallet: parseWallet(text) ?? foldWallet(handle) }
}
