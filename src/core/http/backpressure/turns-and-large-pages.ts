import { ClientGone, overloaded } from '../../basics/errors.ts'
import { type Client, clientOf } from '../client-identity.ts'
import { createHeldBytes, type HeldBytes, type Holder, type HoldLimits } from './held-bytes.ts'

/** A connection can be idle for at least 75 s: Bun closes idle connections up to 4 s before this timeout. */
export const IDLE_SECONDS = 80

/** Limits the CPU time and the memory that requests use in one server thread. */
export function createBackpressure(limits: Partial<HoldLimits> = {}) {
  const held = createHeldBytes(limits)
  return { held, takeTurn: createTurns(), largePages: createLargePages(held) }
}

export type Backpressure = ReturnType<typeof createBackpressure>

/** A request and the limits of its server. */
export type Limited = Client & {
  readonly backpressure: Backpressure
  readonly request: Request
  readonly server: Bun.Server<undefined>
  /** Whether the request has waited for memory for a large response. */
  hasPlace: boolean
  /** Whether the handler calls `limitStall`. */
  hasOwnStallLimit: boolean
}

/** Lets other requests run first. Handlers call it between steps of long work. Throws `ClientGone` or `overloaded`. */
export function takeTurn(limited: Limited): Promise<void> | undefined {
  if (isDone(limited)) throw new ClientGone()
  return limited.backpressure.takeTurn(limited.request)
}

/** Waits until there is memory for a large page, then runs `work`, which renders it. Throws `ClientGone` or `overloaded`. */
export function renderLarge<T>(limited: Limited, work: () => Promise<T>): Promise<T> {
  limited.hasPlace = true
  return limited.backpressure.largePages(clientOf(limited), limited.request.signal, work)
}

/**
 * Counts a large body as used memory until it is sent, and disconnects a client that does not read it. Responses with
 * the same `shared` body count once. Returns a function that releases the body earlier. Throws `overloaded`, but not for
 * large pages, because they have already waited for memory.
 */
export const hold = (limited: Limited, bytes: number, shared?: object): (() => void) =>
  limited.backpressure.held.hold(holderOf(limited), bytes, shared, limited.hasPlace)

/** While `isWaiting`, the idle timeout is `stallSeconds`: a client that neither reads nor sends is disconnected. */
export function limitStall(limited: Limited, isWaiting: boolean): void {
  limited.hasOwnStallLimit = true
  const seconds = isWaiting ? limited.backpressure.held.limits.stallSeconds : IDLE_SECONDS
  limited.server.timeout(limited.request, seconds)
}

/** Bun returns no address for a request that has ended. Signals are not used, because aborting many of them at once is slow. */
const isDone = ({ server, request }: Limited) => server.requestIP(request) === null

const holderOf = (limited: Limited): Holder => ({
  client: clientOf(limited),
  isDone: () => isDone(limited),
  limitStall(seconds) {
    if (!limited.hasOwnStallLimit) limited.server.timeout(limited.request, seconds)
  },
})

/** Total time of requests after which no more start in a turn of the event loop. A page of 250 takes about 2 ms. */
const TURN_MILLISECONDS = 5

/** At most this many waiting requests start in one turn. If the previous turn took long, fewer start. */
const MOST_RESUMED = 4

/** Maximum length of each queue (requests, large pages). The rate limit keeps one client from filling a queue. */
const MOST_WAITING = 2000

/** Contains the request, not its signal: Bun creates a signal on first access, and only waiting requests need one. */
type Waiting = Pick<Request, 'signal'>

/** Spreads requests that arrive at once over several turns of the event loop, so that other requests wait less. */
export function createTurns(now = () => performance.now()) {
  const waiting: (PromiseWithResolvers<void> & { client: Waiting | undefined })[] = []
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
  return (client?: Waiting): Promise<void> | undefined => {
    if (startedAt === undefined) start()
    else if (waiting.length > 0 || now() - startedAt >= TURN_MILLISECONDS) {
      if (waiting.length >= MOST_WAITING) throw overloaded()
      const next = { ...Promise.withResolvers<void>(), client }
      waiting.push(next)
      return next.promise
    }
    return undefined
  }
}

/** At most this many large pages are rendered and compressed at once. Each may use 30 MB. */
const LARGE_PAGES = 4

/**
 * Limits the memory of large pages. A page waits while four others are rendered, and while the thread or the client has too
 * many unsent bytes.
 */
export function createLargePages(held: Pick<HeldBytes, 'isFull' | 'listen'>) {
  const waiting = new Set<PromiseWithResolvers<void> & { client: string }>()
  let running = 0
  let isScheduled = false
  held.listen(schedule)

  /** Calls `resume` once if many clients disconnect together: Bun reports them all in one turn of the event loop. */
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
    // Pages that already wait are rendered first.
    if (waiting.size > 0 || isBusy(client)) {
      if (waiting.size >= MOST_WAITING) throw overloaded()
      const place = { ...Promise.withResolvers<void>(), client }
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
