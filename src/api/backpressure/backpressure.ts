import { ClientGone } from '../../domain/errors.ts'
import type { Context, Exchange } from '../request.ts'
import { createHeldBytes, type Holder, type HoldLimits } from './held-bytes.ts'
import { createLargePages } from './large-pages.ts'
import { createTurns } from './turns.ts'

/** Clients may be idle for 75 s. Bun closes connections up to 4 s early. */
export const IDLE_SECONDS = 80

/** What limits the work and the memory of the requests of a server thread. */
export function createBackpressure(limits: Partial<HoldLimits> = {}) {
  const held = createHeldBytes(limits)
  return { held, takeTurn: createTurns(), largePages: createLargePages(held) }
}

export type Backpressure = ReturnType<typeof createBackpressure>

/** The part of a request's context that limits it. */
export function limit(
  { held, takeTurn, largePages }: Backpressure,
  exchange: Exchange,
): Pick<Context, 'takeTurn' | 'largePages' | 'hold' | 'limitStall'> {
  const { request, server } = exchange
  return {
    takeTurn() {
      if (request.signal.aborted) throw new ClientGone()
      return takeTurn(request)
    },
    largePages(work) {
      exchange.hasPlace = true
      return largePages(clientOf(exchange), request.signal, work)
    },
    hold(bytes, shared) {
      // A large page has waited for room.
      return held.hold(holderOf(exchange), bytes, shared, exchange.hasPlace)
    },
    limitStall(isWaiting) {
      exchange.hasOwnStallLimit = true
      server.timeout(request, isWaiting ? held.limits.stallSeconds : IDLE_SECONDS)
    },
  }
}

const clientOf = ({ key, address }: Exchange) => key?.id ?? address()

const holderOf = (exchange: Exchange): Holder => ({
  client: clientOf(exchange),
  // Bun knows no address of a request that ended.
  isDone: () => exchange.server.requestIP(exchange.request) === null,
  limitStall(seconds) {
    if (!exchange.hasOwnStallLimit) exchange.server.timeout(exchange.request, seconds)
  },
})
