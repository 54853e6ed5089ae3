import type { Catalog } from './catalog.ts'
import { createSearchClient } from './remote-search.ts'
import { findStanding } from './score-distribution.ts'
import type { Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'

/** Snapshots are updated about once a second while there are changes. */
const LONGEST_WAIT_MILLISECONDS = 500

/** A catalog whose snapshots come from the writer thread and whose searches run in the search thread. */
export function createSharedCatalog(client = createSearchClient()) {
  let snapshot: Snapshot
  let updated = Promise.withResolvers<void>()

  /** The same snapshot is the same object, although the search thread sends a copy. */
  function own(found: Matches): Matches {
    return found.snapshot.cursor === snapshot.cursor ? { ...found, snapshot } : found
  }

  return {
    update(next: Snapshot): void {
      snapshot = next
      updated.resolve()
      updated = Promise.withResolvers()
    },
    async next({ cursor }: Snapshot): Promise<void> {
      if (cursor !== snapshot.cursor) return
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, LONGEST_WAIT_MILLISECONDS)
      await Promise.race([updated.promise, late.promise])
      clearTimeout(timer)
    },
    current: () => snapshot,
    find({ keyword, signal }) {
      if (keyword === undefined) return { snapshot }
      return client.search(keyword, signal).then(own)
    },
    list: ({ signal, ...request }, isLatest) =>
      client.list(request, isLatest ? undefined : snapshot.cursor, signal),
    standing: (score: number) => findStanding(snapshot, score),
  } satisfies Catalog & Record<string, unknown>
}
