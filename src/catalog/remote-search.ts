import { ServiceError } from '../domain/errors.ts'
import type { ListRequest } from '../domain/lists/list-request.ts'
import { createCaller, type Received, receiveCalls, takeFirst } from '../thread-calls.ts'
import type { LivePage } from './live-index.ts'
import { createSearcher, type Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { keyword: string }
type List = { list: ListRequest; cursor: string | undefined }
type Page = Matches | LivePage

const LONGEST_LIST_MILLISECONDS = 10_000

/** The length of the queue: more than the requests that one client may send within its limit. */
const MOST_WAITING = 2000

export function createSearchClient(longestList = LONGEST_LIST_MILLISECONDS, mostWaiting = MOST_WAITING) {
  const ended = 'The search thread ended.'
  const { connect, send } = createCaller<Search | List, Page>({ ended, mostWaiting })
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

const noStore: FindList = () => Promise.reject(new Error('The search thread has no store.'))

/** Runs the searches and the lists of all clients, each one at a time, first in, first out. */
export function createSearchServer(findList: FindList = noStore) {
  const search = createSearcher()
  const searches: Received<Search, Page>[] = []
  const lists: Received<List, Page>[] = []
  let snapshot: Snapshot | undefined
  let isScheduled = false
  let isListing = false

  /** One search and one list per turn of the event loop: pending cancellations are processed first. */
  function schedule(): void {
    const isIdle = searches.length === 0 && (lists.length === 0 || isListing)
    if (isScheduled || isIdle || !snapshot) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (snapshot) runNext(snapshot)
      schedule()
    })
  }

  function runNext(current: Snapshot): void {
    const searched = takeFirst(searches)
    if (searched) searched.answer(search(current, searched.call.keyword))
    const listed = isListing ? undefined : takeFirst(lists)
    if (listed) void runList(current, listed)
  }

  /** Further lists wait in the queue, where they can be cancelled. */
  async function runList(current: Snapshot, { call, answer, fail }: Received<List, Page>): Promise<void> {
    isListing = true
    await findList(current, call.list, call.cursor).then(answer, fail)
    isListing = false
    schedule()
  }

  return {
    update(next: Snapshot): void {
      snapshot = next
      schedule()
    },
    connect: (port: MessagePort) =>
      receiveCalls<Search | List, Page>(port, (received) => {
        if ('list' in received.call) lists.push(received as Received<List, Page>)
        else searches.push(received as Received<Search, Page>)
        schedule()
      }),
  }
}
