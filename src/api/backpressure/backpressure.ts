import type { ApiKey } from '../../domain/api-key.ts'
import { ClientGone } from '../../domain/errors.ts'
import { createHeldBytes, type Holder, type HoldLimits } from './held-bytes.ts'
import { createLargePages } from './large-pages.ts'
import { createTurns } from './turns.ts'

/** Clients may be idle for 75 s. Bun closes connections up to 4 s early. */
export const IDLE_SECONDS = 80

/** Limits the work and the memory of the requests of one server thread. */
export function createBackpressure(limits: Partial<HoldLimits> = {}) {
  const held = createHeldBytes(limits)
  return { held, takeTurn: createTurns(), largePages: createLargePages(held) }
}

export type Backpressure = ReturnType<typeof createBackpressure>

/** The part of an exchange that the limits are about. */
export type LimitedExchange = {
  readonly request: Request
  readonly server: Bun.Server<undefined>
  readonly address: () => string
  key: ApiKey | undefined
  /** Whether the request has waited for room for a large response. */
  hasPlace: boolean
  /** Whether the handler calls `limitStall`. */
  hasOwnStallLimit: boolean
}

/** A request and the limits of its server. Functions instead of methods: closures for each request would slow all of them down. */
export type Limited = { backpressure: Backpressure; exchange: LimitedExchange }

/** To be awaited between parts of the work; the first turn is taken before the handler is called. Throws `ClientGone` or `overloaded`. */
export function takeTurn({ backpressure, exchange }: Limited): Promise<void> | undefined {
  if (isDone(exchange)) throw new ClientGone()
  return backpressure.takeTurn(exchange.request)
}

/** Renders and sends a page of more than one chunk. Throws `ClientGone` or `overloaded`. */
export function renderLarge<T>({ backpressure, exchange }: Limited, work: () => Promise<T>): Promise<T> {
  exchange.hasPlace = true
  return backpressure.largePages(clientOf(exchange), exchange.request.signal, work)
}

/**
 * Counts a large body until it is sent, and disconnects a client that does not read it. Responses with the same `shared` body
 * count once. Returns a function that releases it earlier. Throws `overloaded`, but not for large pages, which waited for room.
 */
export const hold = (
  { backpressure: { held }, exchange }: Limited,
  bytes: number,
  shared?: object,
): (() => void) => held.hold(holderOf(exchange), bytes, shared, exchange.hasPlace)

/** For streams and request bodies. While the server waits for a client, the client must go on within `stallSeconds`. */
export function limitStall({ backpressure, exchange }: Limited, isWaiting: boolean): void {
  exchange.hasOwnStallLimit = true
  const seconds = isWaiting ? backpressure.held.limits.stallSeconds : IDLE_SECONDS
  exchange.server.timeout(exchange.request, seconds)
}

const clientOf = ({ key, address }: LimitedExchange) => key?.id ?? address()

/** Bun knows no address of a request that ended. Its signal would tell, too, but it takes long if many signals abort at once. */
const isDone = ({ server, request }: LimitedExchange) => server.requestIP(request) === null

const holderOf = (exchange: LimitedExchange): Holder => ({
  client: clientOf(exchange),
  isDone: () => isDone(exchange),
  limitStall(seconds) {
    if (!exchange.hasOwnStallLimit) exchange.server.timeout(exchange.request, seconds)
  },
})
