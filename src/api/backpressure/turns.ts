import { ClientGone, overloaded } from '../../domain/errors.ts'

/** In one turn of the event loop, requests start until together they have used this time. A page of 250 takes about 2 ms. */
const TURN_MILLISECONDS = 5

/** The most waiting requests that start in one turn, if those of the last turn were short. */
const MOST_RESUMED = 4

/** The length of a queue: more than the requests that one client may send within its limit. */
export const MOST_WAITING = 2000

/** The signal of a request is created on demand: only requests that wait need it. */
type Client = Pick<Request, 'signal'>
type Waiting = PromiseWithResolvers<void> & { client: Client | undefined }

/** Makes requests wait for their turn: many requests that are sent at once delay others only a little. */
export function createTurns({ mostWaiting = MOST_WAITING, now = () => performance.now() } = {}) {
  const waiting: Waiting[] = []
  /** `undefined` while no request has a turn. */
  let startedAt: number | undefined
  let resumed = 1

  function start(): void {
    startedAt = now()
    setImmediate(end)
  }

  function end(): void {
    const fitting = Math.floor((resumed * TURN_MILLISECONDS) / (now() - (startedAt ?? 0)))
    resumed = waiting.length === 0 ? 1 : Math.max(1, Math.min(MOST_RESUMED, fitting))
    startedAt = undefined
    for (const next of waiting.splice(0, resumed)) {
      if (startedAt === undefined) start()
      if (next.client?.signal.aborted) next.reject(new ClientGone())
      else next.resolve()
    }
  }

  /** Throws `ClientGone` or `overloaded`. */
  return (client?: Client): Promise<void> | undefined => {
    if (startedAt === undefined) start()
    else if (waiting.length > 0 || now() - startedAt >= TURN_MILLISECONDS) {
      if (waiting.length >= mostWaiting) throw overloaded()
      const next = { ...Promise.withResolvers<void>(), client }
      waiting.push(next)
      return next.promise
    }
    return undefined
  }
}
