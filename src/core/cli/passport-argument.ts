import { onlyOne } from '../api/parameters.ts'
import { type PassportKey, type PassportRef, parsePassportKey } from '../passport/passport.ts'
import type { Store } from '../store/store.ts'
import { invalidValue } from './command.ts'

/** The ways to name a passport, as the help of commands shows them. */
export const BY_KEY = 'by passport id, wallet or handle such as github:zoe'

/** Throws `UsageError` if the text is malformed. */
export function parseKey(text: string): PassportKey {
  const key = parsePassportKey(text)
  if (!key) throw invalidValue('A passport is named by its id, a wallet or a handle such as github:zoe', text)
  return key
}

/** Commands that change a passport accept only its id, because a wallet can move to another passport. */
export function parseId(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw invalidValue('A passport is named by its id, a whole number', text)
}

/** Returns an id or a wallet unchanged, and looks up a handle. Throws if several passports have the handle. */
export async function findRef({ passports }: Store, key: PassportKey): Promise<PassportRef | undefined> {
  if (!('handle' in key)) return key
  const [match] = await passports.findByKeys([key], { credentials: false })
  return match && { id: onlyOne(key.handle, match).passport.id }
}
