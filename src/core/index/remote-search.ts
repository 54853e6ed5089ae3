import { overloaded, ServiceError } from '../basics/errors.ts'
import { createCaller, createQueue, receiveCalls } from '../basics/thread-calls.ts'
import type { ListRequest, MoversRequest } from '../lists/list-request.ts'
import type { MoversPage } from '../reads/movers.ts'
import type { LivePage } from './live-index.ts'
import { createSearcher, type Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'

/** `cursor` is that of the client's snapshot. The result has the snapshot only if it is another one. */
type Search = { keyword: string; cursor: string }
type Found = Partial<Matches>
type List = { list: ListRequest; cursor: string | undefined }
type Movers = { movers: MoversRequest }
type Index = { index: true }
type Call = Search | List | Movers | Index
type Page = Found | LivePage | MoversPage | undefined

const LIMITS = {
  listMilliseconds: 10_000,
  /** How long a request waits while the index for filters is built. Clients and proxies often wait no longer. */
  indexMilliseconds: 30_000,
  /** Maximum number of calls in the queue. The rate limit keeps one client from filling it. */
  mostWaiting: 2000,
  /** At most this many requests wait for the index. Their lists are evaluated in `listMilliseconds` after the build. */
  mostForIndex: 200,
}

export function createSearchClient(limits: Partial<typeof LIMITS> = {}) {
  const { listMilliseconds, indexMilliseconds, mostWaiting, mostForIndex } = { ...LIMITS, ...limits }
  const { connect, send } = createCaller<Call, Page>('The search thread ended.', mostWaiting)
  const limit = limitOf(listMilliseconds, 'The list takes too long. Try again shortly.')
  const indexLimit = limitOf(indexMilliseconds, 'The index for filters is being built. Try again shortly.')
  let isIndexed = false
  let waiting = 0

  async function waitForIndex(signal?: AbortSignal): Promise<void> {
    if (isIndexed) return
    if (waiting === mostForIndex) throw overloaded()
    waiting++
    try {
      await send({ index: true }, { signal, limit: indexLimit })
      isIndexed = true
    } finally {
      waiting--
    }
  }

  return {
    connect(port: MessagePort): void {
      isIndexed = false
      connect(port)
    },
    search: (keyword: string, cursor: string, signal?: AbortSignal) =>
      send({ keyword, cursor }, { signal }) as Promise<Found>,
    list: (list: ListRequest, cursor: string | undefined, signal?: AbortSignal) =>
      send({ list, cursor }, { signal, limit }).catch((error) => {
        // The index may be built again after too many changes.
        if (error instanceof ServiceError && INDEX_ERRORS.has(error.code)) isIndexed = false
        throw error
      }) as Promise<LivePage>,
    movers: (movers: MoversRequest, signal?: AbortSignal) =>
      send({ movers }, { signal, limit }) as Promise<MoversPage>,
    waitForIndex,
  }
}

/** The index is being built, or cannot be built. */
const INDEX_ERRORS: ReadonlySet<string> = new Set(['not_ready', 'unavailable'])

const limitOf = (milliseconds: number, message: string) => ({
  milliseconds,
  error: () => new ServiceError('not_ready', message),
})

type FindList = (snapshot: Snapshot, request: ListRequest, cursor: string | undefined) => Promise<LivePage>

type FindMovers = (snapshot: Snapshot, request: MoversRequest) => Promise<MoversPage>

type WaitForIndex = (snapshot: Snapshot) => Promise<void>

/** Runs one search, one list and one list of movers at a time, for all clients. They wait for the first snapshot. */
export function createSearchServer(findList: FindList, findMovers: FindMovers, waitForIndex: WaitForIndex) {
  const search = createSearcher()
  const first = Promise.withResolvers<void>()
  let snapshot: Snapshot

  const searches = createQueue<Search, Page>(({ keyword, cursor }) => {
    const found = search(snapshot, keyword)
    // The runtime counts a received snapshot as allocated memory: a million passports would cause a garbage collection.
    return snapshot.cursor === cursor ? { ranks: found.ranks } : found
  }, first.promise)
  const lists = createQueue<List, Page>(({ list, cursor }) => findList(snapshot, list, cursor), first.promise)

  const movers = createQueue<Movers, Page>((call) => findMovers(snapshot, call.movers), first.promise)

  return {
    update(next: Snapshot): void {
      snapshot = next
      first.resolve()
    },
    connect: (port: MessagePort) =>
      receiveCalls<Call, Page>(port, async (call, isCancelled) => {
        if ('index' in call) return first.promise.then(() => waitForIndex(snapshot)).then(() => undefined)
        if ('movers' in call) return movers(call, isCancelled)
        return 'list' in call ? lists(call, isCancelled) : searches(call, isCancelled)
      }),
  }
}
