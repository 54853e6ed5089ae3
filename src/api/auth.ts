import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null', 'None'])

/** A key from a request; a malformed key has no id. */
export type SentKey = { id: string | undefined; text: string }

/** The key in an `X-API-KEY` header; `undefined` if the header holds none. Not cached: memory must not hold keys. */
export function parseKeyHeader(header: string | null): SentKey | undefined {
  if (header === null) return undefined
  const text = trimKey(header)
  return NO_KEY.has(text) ? undefined : { id: parseKeyId(text), text }
}

/** Reused: a new array for each request would cost several microseconds of garbage collection. */
const hash = new Uint8Array(32)

/** Compares in constant time. */
export function matchesKey({ text }: SentKey, key: ApiKey | undefined): key is ApiKey {
  Bun.SHA256.hash(text, hash)
  return key !== undefined && timingSafeEqual(hash, key.hash)
}

const BLANKS = ', \t\xa0'

/** Removes blanks and commas at both ends. A regular expression would take quadratic time on many blanks. */
function trimKey(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANKS.includes(text.charAt(start))) start++
  while (start < end && BLANKS.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Throws `unauthorized` for a wrong, revoked, expired or missing required key. `key` is the key that matches. */
export function checkKey(
  sent: SentKey | undefined,
  key: ApiKey | undefined,
  { requireKey, now }: { requireKey: boolean; now: () => number },
): void {
  const isAuthorized = sent ? key !== undefined && keyState(key, now()) === 'active' : !requireKey
  if (!isAuthorized) throw unauthorized()
}

export async function isActiveKey({ keys }: Pick<Store, 'keys'>, id: string, now: number): Promise<boolean> {
  const key = await keys.find(id)
  return key !== undefined && keyState(key, now) === 'active'
}
