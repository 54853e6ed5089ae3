import { ClientGone, ServiceError } from '../domain/errors.ts'
import type { RankingPage } from './catalog.ts'
import { createSearcher } from './search.ts'
import type { Snapshot } from './snapshot.ts'

type Search = { id: number; keyword: string; offset: number; size: number }
type Request = Search | { cancel: number }
type Result = RankingPage & { id: number }

export function createSearchClient(port: MessagePort) {
  const waiting = new Map<number, PromiseWithResolvers<RankingPage>>()
  let last = 0
  port.onmessage = ({ data: { id, ...found } }: MessageEvent<Result>) => {
    waiting.get(id)?.resolve(found)
    waiting.delete(id)
  }

  return {
    search(keyword: string, offset: number, size: number, signal?: AbortSignal): Promise<RankingPage> {
      // The client may have disconnected while its request waited for its turn.
      if (signal?.aborted) return Promise.reject(new ClientGone())
      const id = ++last
      const result = Promise.withResolvers<RankingPage>()
      waiting.set(id, result)
      port.postMessage({ id, keyword, offset, size } satisfies Request)
      signal?.addEventListener('abort', () => {
        if (!waiting.delete(id)) return
        port.postMessage({ cancel: id } satisfies Request)
        result.reject(new ClientGone())
      })
      return result.promise
    },
    /** Rejects pending searches, because the search thread has ended. */
    close(): void {
      const error = new ServiceError('unavailable', 'The search thread ended.')
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      port.close()
    },
  }
}

export type SearchClient = ReturnType<typeof createSearchClient>

/** Runs the searches of all clients one at a time, first in, first out. */
export function createSearchServer() {
  const search = createSearcher()
  const queue = new Map<string, { port: MessagePort } & Search>()
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
    const [name, { port, id, keyword, offset, size }] = next
    queue.delete(name)
    port.postMessage({ id, ...search(snapshot, keyword, offset, size) } satisfies Result)
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
