import { createHash, timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null'])

export type Door = { store: Store; now: () => number; requireKey: boolean }

/** Lets the request in, or throws. */
export async function authenticate(request: Request, { store, now, requireKey }: Door): Promise<void> {
  const given = request.headers.get('X-API-KEY')?.replace(/^[\s,]+|[\s,]+$/g, '') ?? ''
  if (NO_KEY.has(given)) {
    if (requireKey) throw unauthorized()
    return
  }
  const id = parseKeyId(given)
  const key = id === undefined ? undefined : await store.keys.find(id)
  if (!key || !matches(given, key) || keyState(key, now()) !== 'active') throw unauthorized()
}

function matches(given: string, key: ApiKey): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), key.hash)
}
