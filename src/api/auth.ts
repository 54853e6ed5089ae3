import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { ServiceError, unauthorized } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

/** What a route lets a client do. */
export type Scope = 'read' | 'events' | 'write'

/** Who sends a request. `subject` is the person whom a passport is about. */
export type Principal = {
  readonly kind: 'anonymous' | 'key' | 'subject'
  /** The id of the key; empty for `anonymous`. */
  readonly id: string
  readonly scopes: readonly Scope[]
}

const SCOPES: readonly Scope[] = ['read', 'events']

export const ANONYMOUS_PRINCIPAL: Principal = { kind: 'anonymous', id: '', scopes: SCOPES }

export const toPrincipal = ({ id }: ApiKey): Principal => ({ kind: 'key', id, scopes: SCOPES })

/** Throws `forbidden` if the principal lacks the scope. */
export function checkScope({ scopes }: Principal, scope: Scope): void {
  if (scopes.includes(scope)) return
  throw new ServiceError('forbidden', `This request needs the scope ${scope}.`)
}

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null', 'None'])

/** A key from a request; a malformed key has no id. */
export type SentKey = { id: string | undefined; hash: Uint8Array }

const MAX_PARSED = 1000

/**
 * Parses `X-API-KEY` headers; `undefined` if a header holds no key. Clients repeat the same header, and SHA-256 would slow a
 * request down by a tenth. The cache holds no keys, but their hashes with a secret random seed of 64 bits.
 */
export function createKeyParser() {
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1))
  const parsed = new Map<number | bigint, SentKey | undefined>()

  return (header: string | null): SentKey | undefined => {
    if (header === null) return undefined
    const name = Bun.hash(header, seed)
    if (parsed.has(name)) return parsed.get(name)
    const key = parseKey(header)
    if (parsed.size >= MAX_PARSED) parsed.clear()
    parsed.set(name, key)
    return key
  }
}

function parseKey(header: string): SentKey | undefined {
  const text = trimKey(header)
  return NO_KEY.has(text) ? undefined : { id: parseKeyId(text), hash: Bun.SHA256.hash(text) as Uint8Array }
}

/** Compares in constant time. */
export const matchesKey = ({ hash }: SentKey, key: ApiKey | undefined): key is ApiKey =>
  key !== undefined && timingSafeEqual(hash, key.hash)

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
