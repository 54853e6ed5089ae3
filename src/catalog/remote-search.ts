import { ClientGone, ServiceError } from '../domain/errors.ts'
import type { ListRequest } from '../domain/v3/list-request.ts'
import type { RankingPage } from './catalog.ts'
import type { LivePage } from './facets/live-index.ts'
import { createSearcher } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { keyword: string; offset: number; size: number }
type List = { list: ListRequest; cursor: string | undefined }
type Request = ({ id: number } & (Search | List)) | { cancel: number }
type Result =
  | { id: number; found: RankingPage | LivePage }
  | { id: number; failure: { message: string; isUnavailable: boolean } }

/** The index of a large database takes longer when it is first used. */
const LONGEST_LIST_MILLISECONDS = 10_000

export function createSearchClient(port: MessagePort, longestList = LONGEST_LIST_MILLISECONDS) {
  const waiting = new Map<number, PromiseWithResolvers<RankingPage | LivePage>>()
  let last = 0
  port.onmessage = ({ data }: MessageEvent<Result>) => {
    const result = waiting.get(data.id)
    waiting.delete(data.id)
    if ('found' in data) result?.resolve(data.found)
    else result?.reject(toError(data.failure))
  }

  function send<Page extends RankingPage | LivePage>(
    request: Search | List,
    signal: AbortSignal | undefined,
  ): Promise<Page> {
    // The client may have disconnected while its request waited for its turn.
    if (signal?.aborted) return Promise.reject(new ClientGone())
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
      const error = new ServiceError('unavailable', 'The index for filters is not ready yet.')
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

const toFailure = (error: unknown) => ({
  message: (error as Error).message,
  isUnavailable: error instanceof ServiceError && error.code === 'unavailable',
})

const toError = ({ message, isUnavailable }: ReturnType<typeof toFailure>) =>
  isUnavailable ? new ServiceError('unavailable', message) : new Error(message)

type FindList = (snapshot: Snapshot, request: ListRequest, cursor: string | undefined) => Promise<LivePage>

const noStore: FindList = () => Promise.reject(new Error('The search thread has no store.'))

/** Runs the searches of all clients one at a time, first in, first out. */
export function createSearchServer(findList: FindList = noStore) {
  const search = createSearcher()
  const queue = new Map<string, { port: MessagePort; id: number } & (Search | List)>()
  let snapshot: Snapshot | undefined
  let clients = 0
  let isScheduled = false

  /** One search per turn of the event loop: pending cancellations are processed first. */
  function schedule(): void {
    if (isScheduled || queue.size === 0 || !snapshot) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      runNext()
      schedule()
    })
  }

  function runNext(): void {
    const [next] = queue
    if (!next || !snapshot) return
    const [name, { port, id, ...request }] = next
    queue.delete(name)
    const send = (result: Result) => port.postMessage(result)
    if ('keyword' in request) {
      send({ id, found: search(snapshot, request.keyword, request.offset, request.size) })
    } else {
      findList(snapshot, request.list, request.cursor).then(
        (found) => send({ id, found }),
        (error) => send({ id, failure: toFailure(error) }),
      )
    }
  }

  return {
    update(next: Snapshot): void {
      snapshot = next
      schedule()
    },
    connect(port: MessagePort): void {
      const client = ++clients
      port.onmessage = ({ data }: MessageEvent<Request>) => {
        if ('cancel' in data) return void queue.delete(`${client} ${data.cancel}`)
        queue.set(`${client} ${data.id}`, { port, ...data })
        schedule()
      }
    },
  }
}
