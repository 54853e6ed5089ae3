import { ClientGone } from '../domain/errors.ts'

/** How long all work together goes on before requests have their turn. */
const TURN_MILLISECONDS = 0.25

/** How long one goes on before the next, in as many turns as that takes: most searches end within it. */
const SHARE_MILLISECONDS = 1

/** Work that may pause every hundred microseconds or so. */
export type Steps<T> = Generator<undefined, T>

type Work = { next: () => boolean; stop: () => boolean; left: number }

/**
 * Long work between requests. Each time the event loop comes round, what is under way has one short turn. Work is taken in
 * the order in which it came: of many searches of much the same length, that lets the last end earliest. What is still not done
 * after a while goes to the end, so that nothing waits for the end of what is long. A turn ends with the first that is done,
 * because whoever waits for it goes on at once.
 */
export function createTurns() {
  let waiting: Work[] = []

  function takeTurn(): void {
    let now = performance.now()
    const end = now + TURN_MILLISECONDS
    while (now < end) {
      const work = waiting[0]
      if (work === undefined) return
      const begin = now
      let isDone: boolean
      do {
        isDone = !work.next()
        now = performance.now()
      } while (!isDone && now < end && now - begin < work.left)
      work.left -= now - begin
      if (!isDone && work.left > 0) continue
      waiting.shift()
      if (isDone) break
      work.left = SHARE_MILLISECONDS
      waiting.push(work)
    }
    if (waiting.length > 0) setImmediate(takeTurn)
  }

  return {
    /** What the work comes to; it begins in the next turn. Where whoever waits for it is gone, it ends in the middle. */
    run<T>(steps: Steps<T>, isGone?: () => boolean): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const end = (error: Error) => {
        steps.return(undefined as T)
        reject(error)
        return false
      }
      const next = () => {
        if (isGone?.()) return end(new ClientGone())
        try {
          const { done, value } = steps.next()
          if (done) resolve(value)
          return !done
        } catch (error) {
          reject(error)
          return false
        }
      }
      const stop = () => end(new Error('The store is closed.'))
      if (waiting.push({ next, stop, left: SHARE_MILLISECONDS }) === 1) setImmediate(takeTurn)
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
