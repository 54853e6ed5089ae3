/** How long all work together goes on before requests have their turn. */
const TURN_MILLISECONDS = 0.25

/** Work that pauses every hundred microseconds or so. */
export type Steps<T> = Generator<undefined, T>

type Work = { next: () => boolean; stop: () => void }

/**
 * Long work between requests. Each time the event loop comes round, all that is under way has one short turn together,
 * and takes it step by step in a circle: what is short does not wait for the end of what is long. A turn ends with the
 * first that is done, because whoever waits for it goes on at once.
 */
export function createTurns() {
  let waiting: Work[] = []

  function takeTurn(): void {
    const end = performance.now() + TURN_MILLISECONDS
    do {
      const work = waiting.shift()
      if (work === undefined) return
      if (!work.next()) break
      waiting.push(work)
    } while (performance.now() < end)
    if (waiting.length > 0) setImmediate(takeTurn)
  }

  return {
    /** What the work comes to; it begins in the next turn. */
    run<T>(steps: Steps<T>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const next = () => {
        try {
          const { done, value } = steps.next()
          if (done) resolve(value)
          return !done
        } catch (error) {
          reject(error)
          return false
        }
      }
      const stop = () => {
        steps.return(undefined as T)
        reject(new Error('The store is closed.'))
      }
      if (waiting.push({ next, stop }) === 1) setImmediate(takeTurn)
      return promise
    },
    /** Ends what is under way, in the middle of it. */
    close(): void {
      const left = waiting
      waiting = []
      for (const { stop } of left) stop()
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
