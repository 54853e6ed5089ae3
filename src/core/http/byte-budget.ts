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
/** Interval of checks for bodies that are sent. */
const CHECK_MILLISECONDS = 50

const LIMITS = {
  /** For the bodies that a server thread receives, renders and sends. */
  bytes: 24 * 1024 * 1024,
  /** A client that reads or sends nothing of a body for this time is disconnected. Bun may need four seconds more. */
  stallSeconds: 10,
  /** After this time, a request that waits for bytes gets 503. */
  waitMilliseconds: 10_000,
}

export type BudgetLimits = typeof LIMITS

/** Bounds the memory and the turns of a server thread. */
export const createByteBudget = (limits: Partial<BudgetLimits> = {}, now = () => performance.now()) => ({
  limits: { ...LIMITS, ...limits },
  now,
  /** By request, or by body if several responses share it. */
  holds: new Map<object, Hold>(),
  /** Requests that wait for a turn, and those that wait for bytes. */
  waiting: new Set<Waiting>(),
  blocked: new Set<Waiting>(),
  /** `undefined` while no request has a turn. */
  turnStartedAt: undefined as number | undefined,
  timer: undefined as Timer | undefined,
})

export type ByteBudget = ReturnType<typeof createByteBudget>

export type Limited = Client & {
  readonly budget: ByteBudget
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>
}

/** The numbers tell since when a body is received or sent. */
type Hold = { client: string; bytes: number; requests: Map<Limited, number> }
type Waiting = PromiseWithResolvers<void> & { request: Limited; bytes: number | undefined; since: number }

/** Waits for a turn, and for bytes if there is a number: they replace those of the request. Throws like `holdBody`. */
export function takeTurn(request: Limited, bytes?: number): Promise<void> | undefined {
  const { holds, waiting, blocked, turnStartedAt, now } = request.budget
  if (holds.has(request) && isGone(request)) throw new ClientGone()
  const isOver =
    turnStartedAt !== undefined && (waiting.size > 0 || now() - turnStartedAt >= TURN_MILLISECONDS)
  startTurn(request.budget)
  if (!isOver && fits(request, bytes)) return setBytes(request, bytes)
  if (waiting.size + blocked.size >= MOST_WAITING) throw overloaded()
  const entry = { ...Promise.withResolvers<void>(), request, bytes, since: now() }
  const queue = isOver ? waiting : blocked
  queue.add(entry)
  return entry.promise
}

/** From now on, the request receives or sends a body of this size. Throws `ClientGone` or `overloaded`. */
export function holdBody(request: Limited, size: number, body?: object): void {
  if (size <= SMALL_BYTES) releaseBody(request)
  else if (fits(request, size, body)) setBytes(request, size, request.budget.now(), body)
  else throw isGone(request) ? new ClientGone() : overloaded()
}

export function releaseBody(request: Limited, body: object = request): void {
  const { holds } = request.budget
  const requests = holds.get(body)?.requests
  if (!requests?.delete(request) || requests.size > 0) return
  holds.delete(body)
  retryBlocked(request.budget)
}

export function heldBytes({ holds }: ByteBudget, client?: string): number {
  let sum = 0
  for (const hold of holds.values()) if (client === undefined || hold.client === client) sum += hold.bytes
  return sum
}

/** Bun returns no address for a request that has ended. Aborting many signals at once is slow. */
export const isGone = ({ server, request }: Limited) => server.requestIP(request) === null

/** A client may use as many bytes as are free then, so that there are always some for others. */
export function fits(request: Limited, bytes = 0, body?: object): boolean {
  const { budget } = request
  const own = budget.holds.get(request)?.bytes ?? 0
  if (bytes <= own || (body && budget.holds.has(body))) return true
  const free = budget.limits.bytes - heldBytes(budget) + own
  return free === budget.limits.bytes || heldBytes(budget, clientOf(request)) - own + bytes <= free
}

/** Replaces the bytes of the request, unless there is no number. */
function setBytes(request: Limited, bytes?: number, since = Infinity, body: object = request): undefined {
  if (bytes !== undefined) releaseBody(request)
  if (!bytes) return
  const { budget } = request
  const createHold = () => ({ client: clientOf(request), bytes, requests: new Map() })
  budget.holds.getOrInsertComputed(body, createHold).requests.set(request, since)
  budget.timer ??= setInterval(checkTransfers, CHECK_MILLISECONDS, budget).unref()
}

/** Releases the bytes of requests that have ended, and disconnects clients whose long transfers stop. */
function checkTransfers(budget: ByteBudget): void {
  for (const [body, { requests }] of budget.holds)
    for (const [request, since] of requests) {
      if (isGone(request)) releaseBody(request, body)
      else if (budget.now() - since >= TRANSFER_MILLISECONDS) {
        requests.set(request, Infinity)
        request.server.timeout(request.request, budget.limits.stallSeconds)
      }
    }
  retryBlocked(budget)
  if (budget.holds.size === 0) budget.timer = void clearInterval(budget.timer)
}

function retryBlocked(budget: ByteBudget): void {
  for (const entry of budget.blocked) budget.waiting.add(entry)
  budget.blocked.clear()
  if (budget.waiting.size > 0) startTurn(budget)
}

function startTurn(budget: ByteBudget): void {
  if (budget.turnStartedAt === undefined) setImmediate(startNext, budget)
  budget.turnStartedAt ??= budget.now()
}

/** Ends the turn, and starts the next request that fits. */
function startNext(budget: ByteBudget): void {
  const { waiting, blocked, limits, now } = budget
  budget.turnStartedAt = undefined
  for (const entry of waiting) {
    const { request, bytes, since, resolve, reject } = entry
    waiting.delete(entry)
    if (isGone(request)) reject(new ClientGone())
    else if (now() - since > limits.waitMilliseconds) reject(overloaded())
    else if (!fits(request, bytes)) blocked.add(entry)
    else {
      setBytes(request, bytes)
      resolve()
      startTurn(budget)
      return
    }
  }
}
