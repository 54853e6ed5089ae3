import { formatKey, KEY_RANDOM_BYTES } from '../../src/core/store/api-key.ts'
import type { Store } from '../../src/core/store/store.ts'

const { id, key } = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7))

export const KEY_HEADERS = { 'X-API-KEY': key }

export const KEY_HASH = new Uint8Array(new Bun.CryptoHasher('sha256').update(key).digest())

const TIER = 'bench'

/** For the setting `TIERS`: requests are counted but never limited. */
export const BENCH_TIERS = `${TIER}=1000000/1s+999999999999/month,explorer=1000000/1s,pictures=1000000/1s`

export async function createKey(store: Store): Promise<void> {
  await store.keys.create({
    ...{ id, name: 'bench', hash: KEY_HASH, tier: TIER, owner: '', createdAt: 0 },
    ...{ scopes: ['read', 'events'], origins: [], types: [] },
  })
}
