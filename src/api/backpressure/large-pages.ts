import { ClientGone, overloaded } from '../../domain/errors.ts'
import type { HeldBytes } from './held-bytes.ts'
import { MOST_WAITING } from './turns.ts'

/** Large pages that are rendered and compressed at the same time. Each may use 30 MB. */
const LARGE_PAGES = 4

/** Clients that left and are rejected in one turn of the event loop: many may leave at once. */
const MOST_REJECTED = 20

type Waiting = PromiseWithResolvers<void> & { client: string; signal: AbortSignal }

/**
 * Limits the memory of large pages: a page waits while four others are rendered, and while the thread or the client has too many
 * bytes that are not sent yet.
 */
export function createLargePages(
  held: Pick<HeldBytes, 'isFull' | 'listen'>,
  { mostWaiting = MOST_WAITING } = {},
) {
  const waiting = new Set<Waiting>()
  let running = 0
  held.listen(resume)

  /** `isFull` comes first: it may release bytes, and so resume other pages. */
  const isBusy = (client: string) => held.isFull(client) || running >= LARGE_PAGES

  function resume(): void {
    let gone = 0
    for (const next of waiting) {
      if (next.signal.aborted) {
        if (++gone > MOST_REJECTED) return void setImmediate(resume)
        next.reject(new ClientGone())
      } else if (isBusy(next.client) || !waiting.has(next)) continue
      else {
        running++
        next.resolve()
      }
      waiting.delete(next)
    }
  }

  /** Throws `ClientGone` or `overloaded`. */
  return async <T>(client: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (isBusy(client)) {
      if (waiting.size >= mostWaiting) throw overloaded()
      const place = { ...Promise.withResolvers<void>(), client, signal }
      waiting.add(place)
      await place.promise
    } else running++
    try {
      if (signal.aborted) throw new ClientGone()
      return await work()
    } finally {
      running--
      resume()
    }
  }
}
