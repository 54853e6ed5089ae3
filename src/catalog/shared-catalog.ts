import { type Catalog, pageOf } from './catalog.ts'
import type { SearchClient } from './remote-search.ts'
import { findStanding } from './score-distribution.ts'
import type { Snapshot } from './snapshot.ts'

/** A catalog whose snapshots come from the background thread and whose searches run in the search thread. */
export function createSharedCatalog() {
  let snapshot: Snapshot
  let client: SearchClient | undefined
  return {
    update(next: Snapshot): void {
      snapshot = next
    },
    searchWith(next: SearchClient): void {
      client?.close()
      client = next
    },
    current: () => snapshot,
    find({ page, size, keyword, signal }) {
      const offset = (page - 1) * size
      if (keyword === undefined) return pageOf(snapshot, offset, size)
      if (!client) throw new Error('The search thread has not started yet.')
      return client.search(keyword, offset, size, signal)
    },
    standing: (score: number) => findStanding(snapshot, score),
  } satisfies Catalog & Record<string, unknown>
}
