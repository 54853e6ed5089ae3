import { ServiceError } from '../domain/errors.ts'
import type { ListRequest } from '../domain/lists/list-request.ts'
import { createCaller, createQueue, receiveCalls } from '../thread-calls.ts'
import type { LivePage } from './live-index.ts'
import { createSearcher, type Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { keyword: string }
type List = { list: ListRequest; cursor: string | undefined }
type Page = Matches | LivePage

const LONGEST_LIST_MILLISECONDS = 10_000

/** Maximum number of calls in the queue. The rate limit keeps one client from filling it. */
const MOST_WAITING = 2000

export function createSearchClient(longestList = LONGEST_LIST_MILLISECONDS, mostWaiting = MOST_WAITING) {
  const { connect, send } = createCaller<Search | List, Page>('The search thread ended.', mostWaiting)
  const limit = {
    milliseconds: longestList,
    error: () => new ServiceError('not_ready', 'The list takes too long. Try again shortly.'),
  }
  return {
    connect,
    search: (keyword: string, signal?: AbortSignal) => send({ keyword }, { signal }) as Promise<Matches>,
    list: (list: ListRequest, cursor: string | undefined, signal?: AbortSignal) =>
      send({ list, cursor }, { signal, limit }) as Promise<LivePage>,
  }
}

type FindList = (snapshot: Snapshot, request: ListRequest, cursor: string | undefined) => Promise<LivePage>

/** Runs one search and one list at a time, for all clients. Both wait for the first snapshot. */
export function createSearchServer(findList: FindList) {
  const search = createSearcher()
  const first = Promise.withResolvers<void>()
  let snapshot: Snapshot

  const searches = createQueue<Search, Page>(({ keyword }) => search(snapshot, keyword), first.promise)
  const lists = createQueue<List, Page>(({ list, cursor }) => findList(snapshot, list, cursor), first.promise)

  return {
    update(next: Snapshot): void {
      snapshot = next
      first.resolve()
    },
    connect: (port: MessagePort) =>
      receiveCalls<Search | List, Page>(port, (call, isCancelled) =>
        'list' in call ? lists(call, isCancelled) : searches(call, isCancelled),
      ),
  }
}
