import { ServiceError } from '../domain/errors.ts'
import type { ListRequest, MoversRequest } from '../domain/lists/list-request.ts'
import { createCaller, createQueue, receiveCalls } from '../thread-calls.ts'
import type { LivePage } from './live-index.ts'
import type { MoversPage } from './movers.ts'
import { createSearcher, type Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { keyword: string }
type List = { list: ListRequest; cursor: string | undefined }
type Movers = { movers: MoversRequest }
type Page = Matches | LivePage | MoversPage

const LONGEST_LIST_MILLISECONDS = 10_000

/** Maximum number of calls in the queue. The rate limit keeps one client from filling it. */
const MOST_WAITING = 2000

export function createSearchClient(longestList = LONGEST_LIST_MILLISECONDS, mostWaiting = MOST_WAITING) {
  const { connect, send } = createCaller<Search | List | Movers, Page>(
    'The search thread ended.',
    mostWaiting,
  )
  const limit = {
    milliseconds: longestList,
    error: () => new ServiceError('not_ready', 'The list takes too long. Try again shortly.'),
  }
  return {
    connect,
    search: (keyword: string, signal?: AbortSignal) => send({ keyword }, { signal }) as Promise<Matches>,
    list: (list: ListRequest, cursor: string | undefined, signal?: AbortSignal) =>
      send({ list, cursor }, { signal, limit }) as Promise<LivePage>,
    movers: (movers: MoversRequest, signal?: AbortSignal) =>
      send({ movers }, { signal, limit }) as Promise<MoversPage>,
  }
}

type FindList = (snapshot: Snapshot, request: ListRequest, cursor: string | undefined) => Promise<LivePage>

type FindMovers = (snapshot: Snapshot, request: MoversRequest) => Promise<MoversPage>

/** Runs one search, one list and one list of movers at a time, for all clients. They wait for the first snapshot. */
export function createSearchServer(findList: FindList, findMovers: FindMovers) {
  const search = createSearcher()
  const first = Promise.withResolvers<void>()
  let snapshot: Snapshot

  const searches = createQueue<Search, Page>(({ keyword }) => search(snapshot, keyword), first.promise)
  const lists = createQueue<List, Page>(({ list, cursor }) => findList(snapshot, list, cursor), first.promise)

  const movers = createQueue<Movers, Page>((call) => findMovers(snapshot, call.movers), first.promise)

  return {
    update(next: Snapshot): void {
      snapshot = next
      first.resolve()
    },
    connect: (port: MessagePort) =>
      receiveCalls<Search | List | Movers, Page>(port, (call, isCancelled) => {
        if ('movers' in call) return movers(call, isCancelled)
        return 'list' in call ? lists(call, isCancelled) : searches(call, isCancelled)
      }),
  }
}
