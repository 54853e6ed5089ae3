import { ClientGone, overloaded } from '../../domain/errors.ts'
import type { HeldBytes } from './held-bytes.ts'
import { MOST_WAITING } from './turns.ts'

/** Large pages that are rendered and compressed at the same time. Each may use 30 MB. */
const LARGE_PAGES = 4

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
  let isScheduled = false
  held.listen(schedule)

  /** If many clients leave at once, the runtime reports them all before the next turn of the event loop. */
  function schedule(): void {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    setImmediate(resume)
  }

  function resume(): void {
    isScheduled = false
    for (const next of waiting) {
      if (isBusy(next.client)) continue
      waiting.delete(next)
      running++
      next.resolve()
    }
  }

  const isBusy = (client: string) => running === LARGE_PAGES || held.isFull(client)

  /** Throws `ClientGone` or `overloaded`. */
  return async <T>(client: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    // Pages that wait come first.
    if (waiting.size > 0 || isBusy(client)) {
      if (waiting.size >= mostWaiting) throw overloaded()
      const place = { ...Promise.withResolvers<void>(), client, signal }
      waiting.add(place)
      schedule()
      await place.promise
    } else running++
    try {
      if (signal.aborted) throw new ClientGone()
      return await work()
    } finally {
      running--
      schedule()
    }
  }
}
