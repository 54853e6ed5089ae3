import type { Store } from '../../core/store/store.ts'

export type Fold = Store['events']['fold']

/**
 * Runs one call at a time. Calls that arrive while one runs share the next one, which begins after all of them, so that
 * clients of the log take one place in the queue of the writer thread. The first of them counts the added events.
 */
export function shareFold(fold: Fold): (...args: Parameters<Fold>) => Promise<Awaited<ReturnType<Fold>>> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Awaited<ReturnType<Fold>>> | undefined

  return async (limit) => {
    if (next) return { ...(await next), folded: 0 }
    const result = running.then(() => {
      next = undefined
      return fold(limit)
    })
    next = result
    // The caller gets the error. The next call starts even after an error.
    running = result.catch(() => undefined)
    return result
  }
}
