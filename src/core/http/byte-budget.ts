import { ClientGone, overloaded } from '../basics/errors.ts'
import { type Client, clientOf } from './client-identity.ts'

/** Bodies up to this size need no bytes, because the limit on connections bounds their memory. */
export const SMALL_BYTES = 64 * 1024
/** A connection can be idle for at least 75 s: Bun closes idle connections up to 4 s before this timeout. */
export const IDLE_SECONDS = 80
/** Total time of requests after which no more start in a turn of the event loop. */
const TURN_MILLISECONDS = 1
/** The rate limit keeps one client from filling the queue. */
const MOST_WAITING = 2000
/** A shorter transfer has no limit of its own. */
const TRANSFER_MILLISECONDS = 1000

const LIMITS = {
  /** For the bodies that a server thread receives, renders and sends. */
  bytes: 24 * 1024 * 1024,
  /** A client that reads or sends nothing of a body for this time is disconnected. Bun may need four seconds more. */
  stallSeconds: 10,
  /** Interval of checks for bodies that are sent. */
  checkMilliseconds: 50,
  /** After this time, a request that waits for bytes gets 503. */
  waitMilliseconds: 10_000,
}

export type BudgetLimits = typeof LIMITS

/** A request and the budget of its server. */
export type Limited = Client & {
  readonly budget: ByteBudget
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>
}

/** The numbers tell since when a body is received or sent. Responses with the same body share its bytes. */
type Hold = { client: string; bytes: number; requests: Map<Limited, number> }
type Waiting = PromiseWithResolvers<void> & { request: Limited; bytes: number | undefined; since: number }

export type ByteBudget = ReturnType<typeof createByteBudget>

/**
 * Bounds the memory and the turns of a server thread. A request takes bytes before a body is received or rendered, and waits
 * while too many are in use.
 */
export function createByteBudget(given: Partial<BudgetLimits> = {}, now = () => performance.now()) {
  const limits = { ...LIMITS, ...given }
  const { heldBytes, has, fits, set, release } = createHolds(limits, now, retryBlocked)
  /** Requests that wait for a turn, and those that wait for bytes. */
  const waiting = new Set<Waiting>()
  const blocked = new Set<Waiting>()
  /** `undefined` while no request has a turn. */
  let turnStartedAt: number | undefined

  function startTurn(): void {
    if (turnStartedAt === undefined) setImmediate(endTurn)
    turnStartedAt ??= now()
  }

  /** Starts the next request that fits. */
  function endTurn(): void {
    turnStartedAt = undefined
    for (const next of waiting) {
      waiting.delete(next)
      if (isGone(next.request)) next.reject(new ClientGone())
      else if (now() - next.since > limits.waitMilliseconds) next.reject(overloaded())
      else if (!fits(next.request, next.bytes)) blocked.add(next)
      else {
        set(next.request, next.bytes)
        next.resolve()
        startTurn()
        return
      }
    }
  }

  function retryBlocked(): void {
    for (const next of blocked) waiting.add(next)
    blocked.clear()
    if (waiting.size > 0) startTurn()
  }

  return {
    held: heldBytes,
    /** Whether the request can hold the bytes of this body now. Responses that are being sent share theirs. */
    fits: (request: Limited, body: Blob) => fits(request, body.size, body),
    release,
    /**
     * Waits for a turn of the event loop and for bytes, which the request then holds instead of others. Without a number, it
     * keeps those that it has. Throws `ClientGone` or `overloaded`.
     */
    take(request: Limited, bytes?: number): Promise<void> | undefined {
      if (has(request) && isGone(request)) throw new ClientGone()
      const isOver =
        turnStartedAt !== undefined && (waiting.size > 0 || now() - turnStartedAt >= TURN_MILLISECONDS)
      startTurn()
      if (!isOver && fits(request, bytes)) return set(request, bytes)
      if (waiting.size + blocked.size >= MOST_WAITING) throw overloaded()
      const next = { ...Promise.withResolvers<void>(), request, bytes, since: now() }
      const queue = isOver ? waiting : blocked
      queue.add(next)
      return next.promise
    },
    /** From now on, the request receives or sends a body of so many bytes. Throws like `take`. */
    hold(request: Limited, size: number, body?: object): void {
      if (size <= SMALL_BYTES) release(request)
      else if (fits(request, size, body)) set(request, size, now(), body)
      else throw isGone(request) ? new ClientGone() : overloaded()
    },
  }
}

/** The bytes that requests hold. `onRelease` is also called while requests hold some, at each check. */
function createHolds(limits: BudgetLimits, now: () => number, onRelease: () => void) {
  const holds = new Map<object, Hold>()
  let timer: Timer | undefined

  function heldBytes(client?: string): number {
    let sum = 0
    for (const hold of holds.values()) if (client === undefined || hold.client === client) sum += hold.bytes
    return sum
  }

  function release(request: Limited, body: object = request): void {
    const requests = holds.get(body)?.requests
    if (!requests?.delete(request) || requests.size > 0) return
    holds.delete(body)
    onRelease()
  }

  function check(): void {
    for (const [body, { requests }] of holds)
      for (const [request, since] of requests) {
        if (isGone(request)) release(request, body)
        else if (now() - since >= TRANSFER_MILLISECONDS) {
          requests.set(request, Number.POSITIVE_INFINITY)
          request.server.timeout(request.request, limits.stallSeconds)
        }
      }
    onRelease()
    if (holds.size === 0) timer = void clearInterval(timer)
  }

  return {
    heldBytes,
    has: (request: Limited) => holds.has(request),
    release,
    /** A client may use as many bytes as are free then, so that there are always some for others. */
    fits(request: Limited, bytes = 0, body?: object): boolean {
      const own = holds.get(request)?.bytes ?? 0
      if (bytes <= own || (body && holds.has(body))) return true
      const free = limits.bytes - heldBytes() + own
      if (free === limits.bytes) return true
      return heldBytes(clientOf(request)) - own + bytes <= free
    },
    /** Replaces the bytes of the request, unless there is no number. */
    set(
      request: Limited,
      bytes?: number,
      since = Number.POSITIVE_INFINITY,
      body: object = request,
    ): undefined {
      if (bytes !== undefined) release(request)
      if (!bytes) return
      holds
        .getOrInsertComputed(body, () => ({ client: clientOf(request), bytes, requests: new Map() }))
        .requests.set(request, since)
      timer ??= setInterval(check, limits.checkMilliseconds).unref()
    },
  }
}

/** Bun returns no address for a request that has ended. Signals are not used, because aborting many of them at once is slow. */
export const isGone = ({ server, request }: Limited) => server.requestIP(request) === null
