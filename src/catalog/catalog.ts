import type { ListRequest } from '../domain/lists/list-request.ts'
import type { PageRequest } from '../domain/lists/page.ts'
import type { Standing } from '../domain/lists/score-distribution.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { createLiveIndex, type LivePage } from './live-index.ts'
import { findStanding } from './score-distribution.ts'
import { createSearcher } from './search.ts'
import { buildSnapshot, type Snapshot, updateSnapshot } from './snapshot.ts'

/** `keyword` is folded. Aborting the signal rejects a search with `ClientGone`. */
export type FindRequest = PageRequest & { keyword: string | undefined; signal?: AbortSignal | undefined }

export type RankingPage = {
  ids: readonly number[]
  total: number
  snapshot: Snapshot
  /** The ranks of all matches; `undefined` without a keyword. */
  ranks?: Uint32Array<SharedArrayBuffer> | undefined
}

/** The ranking of all listed passports: pages, keyword search and the standing of a score. */
export type Catalog = {
  /** A new object after every change that list pages show. */
  current(): Awaitable<Snapshot>
  /** The ids of a page, as of the snapshot. */
  find(request: FindRequest): Awaitable<RankingPage>
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
    async find({ page, size, keyword }) {
      const known = await current()
      const offset = (page - 1) * size
      return keyword === undefined ? pageOf(known, offset, size) : search(known, keyword, offset, size)
    },
    list: async (request) => index.find(await current(), request),
    // The next call checks the store.
    next: () => undefined,
    standing: async (score) => findStanding(await current(), score),
  }
}

export function pageOf(snapshot: Snapshot, offset: number, size: number): RankingPage {
  const { ids } = snapshot
  return { ids: Array.from(ids.subarray(offset, offset + size)), total: ids.length, snapshot }
}
