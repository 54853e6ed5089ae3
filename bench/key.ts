import { type ApiKey, formatKey, KEY_RANDOM_BYTES } from '../src/domain/api-key.ts'
import type { Store } from '../src/store/store.ts'

const { id, key } = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7))

export const KEY = key

export const KEY_HASH = new Uint8Array(new Bun.CryptoHasher('sha256').update(key).digest())

const TIER = 'bench'

/** As `TIERS` wants it: counted, and never reached. */
export const BENCH_TIER = `${TIER}=1000000/1s+999999999999/month`

/** Has the key in the store. */
export async function keepKey(store: Store): Promise<void> {
  if (await store.keys.find(id)) return
  const apiKey: ApiKey = { id, name: 'bench', hash: KEY_HASH, tier: TIER, owner: '', createdAt: 0 }
  await store.keys.create(apiKey)
}
