import { createSharedCatalog } from '../../../src/core/index/catalog.ts'
import { createLiveIndex } from '../../../src/core/index/live-index.ts'
import { createSearchClient, createSearchServer } from '../../../src/core/index/remote-search.ts'
import { buildSnapshot } from '../../../src/core/index/snapshot.ts'
import { createMovers } from '../../../src/core/reads/movers.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** A catalog whose search server runs in this thread, instead of the search thread. Its snapshot is never updated. */
export async function catalogWithoutThread(store: Store, options: { mostAwaited?: number } = {}) {
  const snapshot = await buildSnapshot(store.listing)
  const client = createSearchClient()
  const catalog = createSharedCatalog(client)
  const index = createLiveIndex(store, options)
  const searches = createSearchServer(index.find, createMovers(store.events), index.wait)
  const { port1, port2 } = new MessageChannel()
  catalog.update(snapshot)
  searches.update(snapshot)
  searches.connect(port1)
  client.connect(port2)
  return { ...catalog, [Symbol.dispose]: () => port1.close() }
}
