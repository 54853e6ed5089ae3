import { ClientGone, overloaded } from '../basics/errors.ts'
import { type Client, clientOf } from './client-identity.ts'

/** Bodies up to this size need no bytes, because the limit on connections bounds their memory. */
export const SMALL_BYTES = 64 * 1024

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
type Entry = { client: string; bytes: number; requests: Map<Limited, number> }
type Waiting = PromiseWithResolvers<void> & { request: Limited; bytes: number | undefined; since: number }

/** Total time of requests after which no more start in a turn of the event loop. */
const TURN_MILLISECONDS = 5
/** A connection can be idle for at least 75 s: Bun closes idle connections up to 4 s before this timeout. */
export const IDLE_SECONDS = 80

/** At most this many waiting requests start in one turn, and no other after one that holds `LARGE_BYTES`. */
const MOST_RESUMED = 4
const LARGE_BYTES = 1024 * 1024
/** The rate limit keeps one client from filling the queue. */
const MOST_WAITING = 2000
/** A shorter transfer has no limit of its own. */
const TRANSFER_MILLISECONDS = 1000

export type ByteBudget = ReturnType<typeof createByteBudget>

/**
 * Bounds the memory and the turns of a server thread. A request takes bytes before a body is received or rendered, and waits
 * while too many are in use. A client may use as many bytes as are free then, so that there are always some for others.
 */
export function createByteBudget(given: Partial<BudgetLimits> = {}, now = () => performance.now()) {
  const limits = { ...LIMITS, ...given }
  const bytes = createLedger(limits, now, retryBlocked)
  /** Requests that wait for a turn, and those that wait for bytes. */
  const waiting = new Set<Waiting>()
  const blocked = new Set<Waiting>()
  /** `undefined` while no request has a turn. */
  let startedAt: number | undefined
  let resumed = 1

  function startTurn(): void {
    if (startedAt === undefined) setImmediate(endTurn)
    startedAt ??= now()
  }

  function endTurn(): void {
    const fitting = Math.floor((resumed * TURN_MILLISECONDS) / (now() - (startedAt ?? 0)))
    resumed = waiting.size === 0 ? 1 : Math.max(1, Math.min(MOST_RESUMED, fitting))
    startedAt = undefined
    let left = resumed
    for (const next of waiting) {
      if (left === 0) break
      waiting.delete(next)
      if (isDone(next.request)) next.reject(new ClientGone())
      else if (now() - next.since > limits.waitMilliseconds) next.reject(overloaded())
      else if (!bytes.fits(next.request, next.bytes)) blocked.add(next)
      else {
        bytes.set(next.request, next.bytes)
        startTurn()
        left = bytes.of(next.request) >= LARGE_BYTES ? 0 : left - 1
        next.resolve()
      }
    }
  }

  function retryBlocked(): void {
    if (blocked.size === 0) return
    for (const next of blocked) waiting.add(next)
    blocked.clear()
    startTurn()
  }

  return {
    held: bytes.held,
    /** Whether the request can hold the bytes of this body now. Responses that are being sent share theirs. */
    fits: (request: Limited, body: Blob) => bytes.has(body) || bytes.fits(request, body.size),
    release: bytes.release,
    /**
     * Waits for a turn of the event loop and for bytes, which the request then holds instead of others. Without a number, it
     * keeps those that it has. Throws `ClientGone` or `overloaded`.
     */
    take(request: Limited, wanted?: number): Promise<void> | undefined {
      if (bytes.of(request) > 0 && isDone(request)) throw new ClientGone()
      const isOver = startedAt !== undefined && (waiting.size > 0 || now() - startedAt >= TURN_MILLISECONDS)
      startTurn()
      if (!isOver && bytes.fits(request, wanted)) return void bytes.set(request, wanted)
      if (waiting.size + blocked.size >= MOST_WAITING) throw overloaded()
      const next = { ...Promise.withResolvers<void>(), request, bytes: wanted, since: now() }
      const queue = isOver ? waiting : blocked
      queue.add(next)
      return next.promise
    },
    /** From now on, the request receives or sends a body of so many bytes. Throws like `take`. */
    hold(request: Limited, size: number, body?: object): void {
      const counted = size > SMALL_BYTES ? size : 0
      if (!bytes.has(body) && !bytes.fits(request, counted))
        throw isDone(request) ? new ClientGone() : overloaded()
      bytes.set(request, counted, now(), body)
    },
  }
}

/** The bytes that requests hold. `onRelease` is also called while requests hold some, at each check. */
function createLedger(limits: BudgetLimits, now: () => number, onRelease: () => void) {
  const entries = new Map<object, Entry>()
  const clients = new Map<string, number>()
  let free = limits.bytes
  let timer: Timer | undefined

  const bytesOf = (request: Limited) => entries.get(request)?.bytes ?? 0

  function add(client: string, bytes: number): void {
    free -= bytes
    clients.set(client, (clients.get(client) ?? 0) + bytes)
    if (clients.get(client) === 0) clients.delete(client)
  }

  function release(request: Limited, body: object = request): void {
    const entry = entries.get(body)
    if (!entry?.requests.delete(request) || entry.requests.size > 0) return
    entries.delete(body)
    add(entry.client, -entry.bytes)
    onRelease()
  }

  function check(): void {
    for (const [body, { requests }] of entries)
      for (const [request, since] of requests) {
        if (isDone(request)) release(request, body)
        else if (now() - since >= TRANSFER_MILLISECONDS) {
          requests.set(request, Number.POSITIVE_INFINITY)
          request.server.timeout(request.request, limits.stallSeconds)
        }
      }
    onRelease()
    if (entries.size === 0) timer = void clearInterval(timer)
  }

  return {
    held: () => limits.bytes - free,
    has: (body: object | undefined) => body !== undefined && entries.has(body),
    of: bytesOf,
    release,
    fits(request: Limited, bytes: number | undefined): boolean {
      const own = bytesOf(request)
      if (bytes === undefined || bytes <= own || free + own === limits.bytes) return true
      return (clients.get(clientOf(request)) ?? 0) - own + bytes <= free + own
    },
    /** Replaces the bytes of the request. */
    set(
      request: Limited,
      bytes: number | undefined,
      since = Number.POSITIVE_INFINITY,
      body: object = request,
    ): void {
      if (bytes === undefined) return
      release(request)
      if (bytes === 0) return
      const client = clientOf(request)
      if (!entries.has(body)) add(client, bytes)
      entries
        .getOrInsertComputed(body, () => ({ client, bytes, requests: new Map() }))
        .requests.set(request, since)
      timer ??= setInterval(check, limits.checkMilliseconds).unref()
    },
  }
}

/** Bun returns no address for a request that has ended. Signals are not used, because aborting many of them at once is slow. */
const isDone = ({ server, request }: Limited) => server.requestIP(request) === null
