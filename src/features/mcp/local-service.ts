import { createLocalIndex } from '../../core/cli/local-index.ts'
import { ANONYMOUS } from '../../core/config/rate-limit-tier.ts'
import type { Principal } from '../../core/http/client-identity.ts'
import { createLimiter } from '../../core/http/rate-limit.ts'
import { createRequestCounter } from '../../core/http/request-counter.ts'
import { respond } from '../../core/http/respond.ts'
import type { Route } from '../../core/http/route.ts'
import { createServerState } from '../../core/http/server.ts'
import { createExplainer, createPassportExplainer } from '../../core/scoring/explain-score.ts'
import type { Store } from '../../core/store/store.ts'
import { createMcp } from './routes.ts'
import { createRequest } from './tools.ts'

type Options = {
  /** Those of v3, which are the tools. */
  routes: readonly Route[]
  principal: Principal
  now: () => number
  onError: (error: unknown) => void
  signal: AbortSignal
}

/** Returns a function that responds to a message as the route does, without a network and without a limit. */
export function createLocalService(store: Store, { routes, principal, now, onError, signal }: Options) {
  const mcp = createMcp(routes)
  const state = createServerState({
    ...{ routes: [], trustedProxies: [], requireKey: false },
    ...{ store, now, onError, counter: createRequestCounter(now) },
    index: createLocalIndex(store, { signal }),
    explain: createPassportExplainer(store),
    explainAll: createExplainer(store),
    limiter: createLimiter({ tiers: [UNLIMITED], now, isQuotaUsed: () => false }),
  })
  return async (message: string): Promise<string> => {
    const context = state.createContext(createRequest(message), mcp, NO_SOCKET)
    context.principal = principal
    return (await respond(context, state)).text()
  }
}

const UNLIMITED = { name: ANONYMOUS, requests: Number.POSITIVE_INFINITY, window: 1 }

const NO_SOCKET = {
  requestIP: () => ({ address: '127.0.0.1', family: 'IPv4' as const, port: 0 }),
  timeout() {},
}
