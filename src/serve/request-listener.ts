import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { describeError } from '../core/basics/errors.ts'
import { supervise } from '../core/basics/jobs.ts'
import { createErrorLog, type Fields, type Log } from '../core/basics/log.ts'
import type { Config } from '../core/config/config.ts'
import { describeLimits } from '../core/config/rate-limit-tier.ts'
import { DRAIN_MILLISECONDS, openPort } from '../core/http/open-port.ts'
import type { RequestSummary } from '../core/http/parse-request.ts'
import { createLimiter } from '../core/http/rate-limit.ts'
import { createPageCache } from '../core/http/rendered-page.ts'
import { createRequestCounter } from '../core/http/request-counter.ts'
import type { ServerContext } from '../core/http/route.ts'
import { type ApiServer, startApiServer } from '../core/http/server.ts'
import { createExplainer, createPassportExplainer } from '../core/scoring/explain-score.ts'
import { findRules } from '../core/scoring/stamped-rule-set.ts'
import type { Serving, UseOfServer } from '../feature.ts'
import { createErrorPage } from '../ui/error-page.ts'
import { apiOf, siteOf, startServing } from './serving.ts'

type ListenerOptions = Pick<ServerContext, 'store' | 'index' | 'now'> & {
  config: Config
  serving: readonly Serving[]
  log: Log
  /** Rate-limit counters, shared by all server threads. */
  windows: Int32Array
  clients: UseOfServer['clients']
  /** Called for each error that is logged. */
  onError: (error: unknown) => void
}

/** A stopping server that had a request within this time continues to serve for the same time. */
const GRACE_MILLISECONDS = 1000

export type Listener = Awaited<ReturnType<typeof listen>>

/** Throws a `CommandError` if the port is not available. */
export async function listen({ config, log, ...options }: ListenerOptions) {
  const { store, now, windows } = options
  const counter = createRequestCounter(now)
  const errors = createErrorLog(log)
  const onError = (error: unknown, fields: Fields = {}) => {
    options.onError(error)
    errors.error(describeError(error), fields)
  }
  const { jobs: ownJobs, ...served } = await startFeatures({ ...options, config, log, counter, onError })
  let { port } = config
  const start = () =>
    startApiServer({
      ...config,
      ...options,
      port,
      ...served,
      isIndexed: config.site.index,
      keyHelp: config.site.keys,
      contact: config.site.contact,
      // Lets a new release, or a server with a renewed certificate, start before the old one stops.
      reusePort: process.platform === 'linux',
      tls: config.tls && readTls(config.tls),
      explain: createPassportExplainer(store),
      explainAll: createExplainer(store),
      signing: config.signingKeys,
      limiter: createLimiter({ tiers: config.tiers, windows, now, isQuotaUsed: counter.isQuotaUsed }),
      counter,
      onError: (error, { id, traceId, ...request }) =>
        onError(error, { ...(id !== undefined && { request_id: id }), ...traceField(traceId), ...request }),
      onResponse: config.logRequests ? createRequestLog(log) : undefined,
    })
  let server = await openPort({ ...config, names: { host: 'HOST', port: 'PORT' } }, start)
  // A server with a renewed certificate uses the same port, even if the system chose it.
  port = server.port

  const stop = new AbortController()
  const jobs = supervise(ownJobs, {
    ...options,
    log,
    signal: stop.signal,
    onRecovery: errors.forget,
  })
  return {
    server: () => server,
    readMetrics: counter.readMetrics,
    /** Starts a server with the current certificate, then stops the old one. The main thread has checked the files. */
    renewTls(): void {
      try {
        const old = server
        server = start()
        log.info('The TLS certificate was read again.')
        void drain(old)
      } catch (error) {
        log.error(`The old TLS certificate stays in use: ${describeError(error)}`)
      }
    },
    async drain(): Promise<void> {
      await drain(server)
      stop.abort()
      await jobs
      errors.end()
    },
  }
}

type FeatureOptions = Omit<ListenerOptions, 'windows' | 'onError'> & Pick<UseOfServer, 'counter' | 'onError'>

/** The routes of the features, with their guards and jobs. */
async function startFeatures({ serving, ...options }: FeatureOptions) {
  const { config, store } = options
  const { publicUrl, explorer, requireKey } = config
  const settings = { ...config.site, limits: describeLimits(config.tiers, requireKey) }
  const { site, routes } = siteOf(serving, { settings, publicUrl, explorer })
  const started = await startServing(serving, {
    ...options,
    site,
    api: apiOf(serving, config),
    pages: createPageCache(),
    explain: createPassportExplainer(store),
    rules: () => findRules(store),
    needsKey: requireKey,
    signs: config.signingKeys !== undefined,
  })
  return {
    ...started,
    routes: [...started.routes, ...routes],
    errorPage: explorer ? createErrorPage(site) : undefined,
  }
}

/** Reads the files at each start of a server, because certificates are renewed. */
function readTls({ cert, key }: NonNullable<Config['tls']>) {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

/**
 * Closing an idle connection would lose a request that its client is sending. Connections in use are therefore closed
 * after their next response. The listener stays open meanwhile, because Bun closes it together with idle connections.
 */
async function drain(server: ApiServer): Promise<void> {
  const forced = setTimeout(() => server.stop(true), DRAIN_MILLISECONDS)
  if (server.endConnections() < GRACE_MILLISECONDS) await Bun.sleep(GRACE_MILLISECONDS)
  await server.stop()
  clearTimeout(forced)
}

const traceField = (traceId: string | undefined) => traceId !== undefined && { trace_id: traceId }

/** One entry per request. Clients without a key stay anonymous. */
const createRequestLog =
  (log: Log) =>
  ({ id, traceId, method, route, status, seconds, keyId, tier, address }: RequestSummary): void =>
    log.info('request', {
      request_id: id,
      ...traceField(traceId),
      method,
      route,
      status,
      milliseconds: Math.round(seconds * 1e6) / 1000,
      ...(keyId !== '' && { key: keyId }),
      tier,
      address: truncateAddress(address()),
    })

/** IPv4 without its last octet, IPv6 as its /48 block. */
export function truncateAddress(address: string): string {
  if (isIP(address) === 4) return address.replace(/\d+$/, '0')
  const groups = address.replace(/::\/64$/, '').split(':')
  return groups.length === 4 ? `${groups.slice(0, 3).join(':')}::/48` : ''
}
