import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { attempt, describeError } from '../core/basics/errors.ts'
import { type Job, supervise } from '../core/basics/jobs.ts'
import { createErrorLog, type Fields, type Log } from '../core/basics/log.ts'
import { VERSION } from '../core/basics/version.ts'
import type { Config } from '../core/config/config.ts'
import { describeLimits } from '../core/config/rate-limit-tier.ts'
import { DRAIN_MILLISECONDS, openPort } from '../core/http/open-port.ts'
import { createLimiter } from '../core/http/rate-limit.ts'
import { createRequestCounter } from '../core/http/request-counter.ts'
import type { RequestSummary, ServerContext } from '../core/http/route.ts'
import { type ApiServer, startApiServer } from '../core/http/server.ts'
import { createExplainer, createPassportExplainer } from '../core/reads/explain.ts'
import { findRules } from '../core/scoring/stamped-rule-set.ts'
import type { Store } from '../core/store/store.ts'
import { createExplorer } from '../features/explorer/routes.ts'
import { storeUsage } from '../features/keys/usage-job.ts'
import { MIRROR } from '../features/mirror/statements.ts'
import { createReference } from '../features/reference/routes.ts'
import { datePlan, NO_PLAN, type RetirementPlan } from '../features/retire/plan.ts'
import { PLAN } from '../features/retire/statements.ts'
import type { Rasterize } from '../ui/page.ts'
import { createSite } from '../ui/site.ts'

type ListenerOptions = Pick<ServerContext, 'store' | 'index' | 'now'> & {
  config: Config
  log: Log
  /** Rate-limit counters, shared by all server threads. */
  windows: Int32Array
  rasterize: Rasterize
  /** Matches a character of the further fonts. */
  fonts?: RegExp | undefined
  /** Called for each error that is logged. */
  onError: (error: unknown) => void
}

const PLAN_MILLISECONDS = 1000
/** A stopping server that had a request within this time continues to serve for the same time. */
const GRACE_MILLISECONDS = 1000

/** The plan of the retirement, and the job that reads its changes. */
async function followPlan(store: Store) {
  const read = async () => (await store.data(PLAN).find()) ?? NO_PLAN
  let plan = await read()
  const readPlan: Job = {
    name: 'The retirement plan cannot be read, the last one stays in force',
    interval: PLAN_MILLISECONDS,
    async run() {
      plan = await read()
    },
  }
  return { plan: () => plan, readPlan }
}

export type Listener = Awaited<ReturnType<typeof listen>>

/** Throws a `CommandError` if the port is not available. */
export async function listen({ config, log, ...options }: ListenerOptions) {
  const { store, index, now, windows, rasterize, fonts } = options
  const counter = createRequestCounter(now)
  const errors = createErrorLog(log)
  const onError = (error: unknown, fields: Fields = {}) => {
    options.onError(error)
    errors.error(describeError(error), fields)
  }
  const { plan, readPlan } = await followPlan(store)
  const pages = createPages({ config, store, index, now, rasterize, fonts, plan, onError })
  let { port } = config
  const start = () =>
    startApiServer({
      ...config,
      ...options,
      port,
      ...pages,
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
      plan,
      onError: (error, { id, traceId, ...request }) =>
        onError(error, { ...(id !== undefined && { request_id: id }), ...traceField(traceId), ...request }),
      onResponse: config.logRequests ? createRequestLog(log) : undefined,
    })
  let server = await openPort({ ...config, names: { host: 'HOST', port: 'PORT' } }, start)
  // A server with a renewed certificate uses the same port, even if the system chose it.
  port = server.port

  const stop = new AbortController()
  const jobs = supervise([storeUsage(store, counter, log), readPlan], {
    ...options,
    log,
    signal: stop.signal,
    onRecovery: errors.forget,
  })
  return {
    server: () => server,
    setMonth: counter.setMonth,
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

type PageOptions = Pick<ListenerOptions, 'config' | 'store' | 'index' | 'now' | 'rasterize' | 'fonts'> & {
  plan: () => RetirementPlan
  onError: (error: unknown) => void
}

function createPages({ config, store, index, now, rasterize, fonts, plan, onError }: PageOptions) {
  const settings = { ...config.site, limits: describeLimits(config.tiers, config.requireKey) }
  const { site, routes } = createSite(settings, config.publicUrl, config.explorer, fonts)
  const reference = createReference(VERSION, {
    ...config,
    site,
    plan: () => datePlan(plan(), config.deprecatedAt),
    now,
    // The reference works without the stamp if the database is unavailable.
    stamp: async () => (await attempt(() => findRules(store), onError))?.stamp,
  })
  const explorer = config.explorer
    ? createExplorer({
        store,
        index,
        explain: createPassportExplainer(store),
        rules: () => findRules(store),
        listSources: () => store.data(MIRROR).listSources(),
        needsKey: config.requireKey,
        now,
        signs: config.signingKeys !== undefined,
        site,
        rasterize,
        onError,
      })
    : undefined
  return {
    routes: [...reference.routes, ...routes, ...(explorer?.routes ?? [])],
    errorPage: explorer?.errorPage,
    errorPicture: explorer?.errorPicture,
  }
}

/** Reads the files at each start of a server, because certificates are renewed. */
function readTls({ cert, key }: NonNullable<Config['tls']>) {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

/**
 * Closing an idle connection would lose a request that its client is sending. Connections in use are therefore closed after
 * their next response. The listener stays open meanwhile, because Bun closes it together with idle connections.
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
