import { createHash, timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { Limiter } from './limits.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null'])

export type Door = { store: Store; now: () => number; requireKey: boolean; limiter: Limiter }

/** The key that lets the request in, if it has one; throws where it has a wrong one, or none where one is needed. */
export async function authenticate(
  request: Request,
  address: () => string,
  { store, now, requireKey, limiter }: Door,
): Promise<ApiKey | undefined> {
  const given = request.headers.get('X-API-KEY')?.replace(/^[\s,]+|[\s,]+$/g, '') ?? ''
  if (NO_KEY.has(given)) {
    if (requireKey) throw unauthorized()
    return undefined
  }
  const id = parseKeyId(given)
  const key = id === undefined ? undefined : await store.keys.find(id)
  if (!key || !matches(given, key)) await limiter.takeWrongKey(address())
  else if (keyState(key, now()) === 'active') return key
  throw unauthorized()
}

function matches(given: string, key: ApiKey): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), key.hash)
}
