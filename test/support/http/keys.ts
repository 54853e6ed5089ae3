import { createHash } from 'node:crypto'
import { type ApiKey, formatKey, KEY_RANDOM_BYTES } from '../../../src/core/store/api-key.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { apiKey } from '../store/records.ts'

export { formatKey, KEY_RANDOM_BYTES } from '../../../src/core/store/api-key.ts'

/** Creates a key whose random bytes are all `seed`. */
export async function makeKey(store: Store, seed: number, given: Partial<ApiKey> = {}) {
  const { id, key } = formatKey(
    new Uint8Array(KEY_RANDOM_BYTES).fill(seed),
    given.origins?.length ? 'ppdp' : 'ppd',
  )
  const hash = createHash('sha256').update(key).digest()
  await store.keys.create(apiKey(id, { hash, ...given }))
  return { id, key, init: { headers: { 'X-API-KEY': key } } }
}
