import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { Limiter } from './rate-limit.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null', 'None'])

export type AuthContext = { store: Store; now: () => number; requireKey: boolean; limiter: Limiter }

/** The API key of a request, if it has one. Throws `unauthorized` for a wrong key, and for none where one is required. */
export async function authenticate(
  header: string | null,
  address: () => string,
  { store, now, requireKey, limiter }: AuthContext,
): Promise<ApiKey | undefined> {
  const given = header === null ? undefined : readKey(header)
  if (!given) {
    if (requireKey) throw unauthorized()
    return undefined
  }
  const { id, hash } = given
  const key = id === undefined ? undefined : await store.keys.find(id)
  if (!key || !timingSafeEqual(hash, key.hash)) {
    await limiter.consumeWrongKey(address())
    throw unauthorized()
  }
  if (keyState(key, now()) !== 'active') throw unauthorized()
  return key
}

type GivenKey = { id: string | undefined; hash: Uint8Array }

/** Keys that were read before: clients send the same ones again and again. */
const read = new Map<string, GivenKey | undefined>()
const MOST_READ = 1000

/** The id and the hash of the key in a header; `undefined` if there is none in it. */
function readKey(header: string): GivenKey | undefined {
  if (read.has(header)) return read.get(header)
  const text = trimKey(header)
  const key = NO_KEY.has(text)
    ? undefined
    : { id: parseKeyId(text), hash: Bun.SHA256.hash(text) as Uint8Array }
  if (read.size >= MOST_READ) read.clear()
  read.set(header, key)
  return key
}

const BLANKS = ', \t\xa0'

/** Without blanks and commas at both ends. A regular expression would take quadratic time on many blanks. */
function trimKey(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANKS.includes(text.charAt(start))) start++
  while (start < end && BLANKS.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
