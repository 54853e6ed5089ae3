import { createLocalIndex } from '../../../src/core/cli/local-index.ts'
import {
  answerIndexCalls,
  createIndexClient,
  createIndexState,
  type IndexClient,
  VERSION,
} from '../../../src/core/index/calls.ts'
import { type LiveIndex, openLiveIndex, updateIndex } from '../../../src/core/index/live.ts'
import { RANKING } from '../../../src/core/lists/list-request.ts'
import type { Store } from '../../../src/core/store/store.ts'

export { createIndexClient, createIndexState, createLocalIndex, RANKING }

/** The index of a store, as it is now. */
export const openIndex = (store: Store): Promise<LiveIndex> => openLiveIndex(store, NO_COPY)

/** Saves it as if much had changed. */
export function saveLiveIndex(live: LiveIndex): Promise<void> {
  live.unsaved = Number.POSITIVE_INFINITY
  return updateIndex(live)
}

const NO_COPY = { async *read() {}, write: () => Promise.resolve(false) }

/** An index that is called like that of a service, and that no job updates. */
export async function calledIndex(store: Store): Promise<IndexClient & Disposable> {
  const live = await openIndex(store)
  const { port1, port2 } = new MessageChannel()
  const client = createIndexClient()
  const state = createIndexState()
  state[VERSION] = 1
  client.share(state)
  client.connect(port1)
  answerIndexCalls(port2, () => live)
  return { ...client, [Symbol.dispose]: () => port2.close() }
}

const indexes = new WeakMap<Store, IndexClient>()

/** A page of the ranking as it is now, the first 250 passports by default. */
export async function listAll(
  store: Store,
  { keyword, page = 1, size = 250 }: { keyword?: string; page?: number; size?: number } = {},
) {
  const index = indexes.get(store) ?? createLocalIndex(store)
  indexes.set(store, index)
  const request = { ...RANKING, keyword, limit: size, offset: (page - 1) * size }
  const { ids, total } = await index.call('list', { request })
  return { items: await store.passports.listByIds(ids), total }
}
