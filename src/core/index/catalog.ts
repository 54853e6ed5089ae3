import type { ListRequest, MoversRequest } from '../lists/list-request.ts'
import { createMovers, type MoversPage } from '../reads/movers.ts'
import { findStanding, type Standing } from '../reads/standing.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { createLiveIndex, type LivePage } from './live-index.ts'
import { createSearchClient } from './remote-search.ts'
import { createSearcher, type Matches } from './search.ts'
import { buildSnapshot, type Snapshot, updateSnapshot } from './snapshot.ts'

/** The ranking of all listed passports: pages, keyword search and the standing of a score. */
export type Catalog = {
  /** Returns a new object after every change that list pages show. */
  current(): Awaitable<Snapshot>
  /** Finds all passports that match the folded keyword. Aborting the signal rejects with `ClientGone`. */
  find(request: { keyword: string | undefined; signal?: AbortSignal | undefined }): Awaitable<Matches>
  /** A page of a filtered, grouped or sorted list. With `isLatest` it includes all changes before the call. */
  list(request: ListRequest & { signal?: AbortSignal | undefined }, isLatest: boolean): Promise<LivePage>
  /** Waits until the index for filters is built. Throws `not_ready` if that takes too long, and `overloaded`. */
  waitForIndex(signal?: AbortSignal): Promise<void>
  /** A page of the passports whose score changed since a time, or of new ones. */
  movers(request: MoversRequest & { signal?: AbortSignal | undefined }): Promise<MoversPage>
  /** Resolves when there may be a newer snapshot. */
  next(snapshot: Snapshot): Awaitable<void>
  standing(score: number): Awaitable<Standing>
}

/** A catalog for one thread. Each call checks the store for changes. `options` are those of the index for filters. */
export function createCatalog(
  store: Pick<Store, 'listing' | 'events'>,
  options?: Parameters<typeof createLiveIndex>[1],
): Catalog {
  const { listing } = store
  const search = createSearcher()
  const index = createLiveIndex(store, options)
  const movers = createMovers(store.events)
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
    waitForIndex: async () => index.wait(await current()),
    movers: async (request) => movers(await current(), request),
    // There is nothing to wait for: every call checks the store.
    next: () => undefined,
    standing: async (score) => findStanding(await current(), score),
  }
}

/** `next` waits at most this long. While passports change, a new snapshot comes about once a second. */
const LONGEST_WAIT_MILLISECONDS = 500

/** A catalog whose snapshots come from the writer thread and whose searches run in the search thread. */
export function createSharedCatalog(client = createSearchClient()) {
  let snapshot: Snapshot
  let updated = Promise.withResolvers<void>()

  return {
    update(next: Snapshot): void {
      snapshot = next
      updated.resolve()
      updated = Promise.withResolvers()
    },
    async next({ cursor }: Snapshot): Promise<void> {
      if (cursor === snapshot.cursor)
        await Promise.race([updated.promise, Bun.sleep(LONGEST_WAIT_MILLISECONDS)])
    },
    current: () => snapshot,
    find({ keyword, signal }) {
      const own = { snapshot }
      if (keyword === undefined) return own
      return client.search(keyword, snapshot.cursor, signal).then((found) => ({ ...own, ...found }))
    },
    list: ({ signal, ...request }, isLatest) =>
      client.list(request, isLatest ? undefined : snapshot.cursor, signal),
    waitForIndex: client.waitForIndex,
    movers: ({ signal, ...request }) => client.movers(request, signal),
    standing: (score: number) => findStanding(snapshot, score),
  } satisfies Catalog & Record<string, unknown>
}
