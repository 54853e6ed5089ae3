import { ClientGone, type ErrorCode, overloaded, ServiceError } from '../domain/errors.ts'
import type { ListRequest } from '../domain/lists/list-request.ts'
import type { RankingPage } from './catalog.ts'
import type { LivePage } from './facets/live-index.ts'
import { createSearcher } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { keyword: string; offset: number; size: number }
type List = { list: ListRequest; cursor: string | undefined }
type Request = ({ id: number } & (Search | List)) | { cancel: number }
type Result = { id: number; found: RankingPage | LivePage } | { id: number; failure: Failure }

/** Expected errors have a code, others the stack of the search thread. */
type Failure = { message: string; code?: ErrorCode; stack?: string | undefined }

const LONGEST_LIST_MILLISECONDS = 10_000

/** The length of the queue: more than the requests that one client may send within its limit. */
const MOST_WAITING = 2000

export function createSearchClient(
  port: MessagePort,
  longestList = LONGEST_LIST_MILLISECONDS,
  mostWaiting = MOST_WAITING,
) {
  const waiting = new Map<number, PromiseWithResolvers<RankingPage | LivePage>>()
  let last = 0
  port.onmessage = ({ data }: MessageEvent<Result>) => {
    const result = waiting.get(data.id)
    waiting.delete(data.id)
    // Bun handles messages before sockets: lists that are rendered at once would keep all other requests waiting.
    setImmediate(() => {
      if ('found' in data) result?.resolve(data.found)
      else result?.reject(toError(data.failure))
    })
  }

  function send<Page extends RankingPage | LivePage>(
    request: Search | List,
    signal: AbortSignal | undefined,
  ): Promise<Page> {
    // The client may have disconnected while its request waited for its turn.
    if (signal?.aborted) return Promise.reject(new ClientGone())
    if (waiting.size >= mostWaiting) return Promise.reject(overloaded())
    const id = ++last
    const result = Promise.withResolvers<RankingPage | LivePage>()
    waiting.set(id, result)
    port.postMessage({ id, ...request } satisfies Request)
    signal?.addEventListener('abort', () => cancel(id, new ClientGone()))
    return result.promise as Promise<Page>
  }

  function cancel(id: number, error: Error): void {
    const result = waiting.get(id)
    if (!waiting.delete(id)) return
    port.postMessage({ cancel: id } satisfies Request)
    result?.reject(error)
  }

  return {
    search: (keyword: string, offset: number, size: number, signal?: AbortSignal) =>
      send<RankingPage>({ keyword, offset, size }, signal),
    list(list: ListRequest, cursor: string | undefined, signal?: AbortSignal): Promise<LivePage> {
      const page = send<LivePage>({ list, cursor }, signal)
      const id = last
      const error = new ServiceError('not_ready', 'The list takes too long. Try again shortly.')
      const timer = setTimeout(() => cancel(id, error), longestList)
      return page.finally(() => clearTimeout(timer))
    },
    /** Rejects pending requests, because the search thread has ended. */
    close(): void {
      const error = new ServiceError('unavailable', 'The search thread ended.')
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      port.close()
    },
  }
}

export type SearchClient = ReturnType<typeof createSearchClient>

const toFailure = (error: unknown): Failure => ({
  message: (error as Error).message,
  ...(error instanceof ServiceError ? { code: error.code } : { stack: (error as Error).stack }),
})

const toError = ({ message, code, stack }: Failure) =>
  code ? new ServiceError(code, message) : Object.assign(new Error(message), { stack })

type FindList = (snapshot: Snapshot, request: ListRequest, cursor: string | undefined) => Promise<LivePage>

const noStore: FindList = () => Promise.reject(new Error('The search thread has no store.'))

type Queued<T> = { port: MessagePort; id: number; request: T }

/** Runs the searches and the lists of all clients, each one at a time, first in, first out. */
export function createSearchServer(findList: FindList = noStore) {
  const search = createSearcher()
  const searches = new Map<string, Queued<Search>>()
  const lists = new Map<string, Queued<List>>()
  let snapshot: Snapshot | undefined
  let clients = 0
  let isScheduled = false
  let isListing = false

  /** One search and one list per turn of the event loop: pending cancellations are processed first. */
  function schedule(): void {
    const isIdle = searches.size === 0 && (lists.size === 0 || isListing)
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
    if (searched) {
      const { keyword, offset, size } = searched.request
      reply(searched, { found: search(current, keyword, offset, size) })
    }
    const listed = isListing ? undefined : takeFirst(lists)
    if (listed) void runList(current, listed)
  }

  /** Further lists wait in the queue, where they can be cancelled. */
  async function runList(current: Snapshot, listed: Queued<List>): Promise<void> {
    isListing = true
    const { list, cursor } = listed.request
    const result = await findList(current, list, cursor).then(
      (found) => ({ found }),
      (error) => ({ failure: toFailure(error) }),
    )
    reply(listed, result)
    isListing = false
    schedule()
  }

  return {
    update(next: Snapshot): void {
      snapshot = next
      schedule()
    },
    connect(port: MessagePort): void {
      const client = ++clients
      const nameOf = (id: number) => `${client} ${id}`
      port.onmessage = ({ data }: MessageEvent<Request>) => {
        if ('cancel' in data) {
          searches.delete(nameOf(data.cancel))
          lists.delete(nameOf(data.cancel))
          return
        }
        const { id, ...request } = data
        if ('list' in request) lists.set(nameOf(id), { port, id, request })
        else searches.set(nameOf(id), { port, id, request })
        schedule()
      }
    },
  }
}

type Outcome = { found: RankingPage | LivePage } | { failure: Failure }

const reply = ({ port, id }: Queued<unknown>, outcome: Outcome) =>
  port.postMessage({ id, ...outcome } satisfies Result)

function takeFirst<T>(queue: Map<string, T>): T | undefined {
  for (const [name, first] of queue) {
    queue.delete(name)
    return first
  }
  return undefined
}
