import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Limiter } from './limits.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null'])

export type Door = { store: Store; now: () => number; requireKey: boolean; limiter: Limiter }

/** The key that lets the request in, if it has one; throws where it has a wrong one, or none where one is needed. */
export function authenticate(
  request: Request,
  address: () => string,
  { store, now, requireKey, limiter }: Door,
): Awaitable<ApiKey | undefined> {
  const given = request.headers.get('X-API-KEY')?.replace(/^[\s,]+|[\s,]+$/g, '') ?? ''
  if (NO_KEY.has(given)) {
    if (requireKey) throw unauthorized()
    return undefined
  }

  function check(key: ApiKey | undefined): Awaitable<ApiKey> {
    if (!key || !matches(given, key)) return limiter.takeWrongKey(address()).then(refuse)
    return keyState(key, now()) === 'active' ? key : refuse()
  }

  const id = parseKeyId(given)
  if (id === undefined) return check(undefined)
  const key = store.keys.find(id)
  return key instanceof Promise ? key.then(check) : check(key)
}

function refuse(): never {
  throw unauthorized()
}

function matches(given: string, key: ApiKey): boolean {
  return timingSafeEqual(Bun.SHA256.hash(given) as Uint8Array, key.hash)
}
