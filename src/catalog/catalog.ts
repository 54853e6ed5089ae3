import type { Standing } from '../catalog/score-distribution.ts'
import type { ListRequest } from '../domain/lists/list-request.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { createLiveIndex, type LivePage } from './live-index.ts'
import { findStanding } from './score-distribution.ts'
import { createSearcher, type Matches } from './search.ts'
import { buildSnapshot, type Snapshot, updateSnapshot } from './snapshot.ts'

/** The ranking of all listed passports: pages, keyword search and the standing of a score. */
export type Catalog = {
  /** A new object after every change that list pages show. */
  current(): Awaitable<Snapshot>
  /** All matches of the folded keyword, as of the snapshot. Aborting the signal rejects a search with `ClientGone`. */
  find(request: { keyword: string | undefined; signal?: AbortSignal | undefined }): Awaitable<Matches>
  /** A page of a list that is filtered, grouped or sorted. `isLatest`: with all changes of the store before the call. */
  list(request: ListRequest & { signal?: AbortSignal | undefined }, isLatest: boolean): Promise<LivePage>
  /** Resolves when there may be a newer snapshot. */
  next(snapshot: Snapshot): Awaitable<void>
  standing(score: number): Awaitable<Standing>
}

/** A catalog for one thread. Each call checks the store for changes. */
export function createCatalog(store: Pick<Store, 'listing' | 'facets'>): Catalog {
  const { listing } = store
  const search = createSearcher()
  const index = createLiveIndex(store)
  let snapshot: Promise<Snapshot> | undefined

  function current(): Promise<Snapshot> {
    const before = snapshot
    snapshot = before
      ? before.then(
          (known) => updateSnapshot(known, listing),
          () => buildSnapshot(listing),
        )
      : buildSnapshot(listing)
    return snapshot
  }

  return {
    current,
    async find({ keyword }) {
      const known = await current()
      return keyword === undefined ? { snapshot: known } : search(known, keyword)
    },
    list: async (request) => index.find(await current(), request),
    // The next call checks the store.
    next: () => undefined,
    standing: async (score) => findStanding(await current(), score),
  }
}
