import { readFileSync } from 'node:fs'
import type { RateCounter } from '../api/fixed-window.ts'
import { instrumentCatalog, instrumentStore } from '../api/instrumented-store.ts'
import type { Metrics } from '../api/metrics.ts'
import { DRAIN_MILLISECONDS, openPort } from '../api/open-port.ts'
import { createOpenApi } from '../api/openapi.ts'
import { createPage, pageRoute } from '../api/page.ts'
import { createLimiter } from '../api/rate-limit.ts'
import { JSON_HEADERS } from '../api/response.ts'
import { type ApiServer, type RequestSummary, startServer } from '../api/server.ts'
import { createUsageCounter, type UsageReport } from '../api/usage.ts'
import { createStoreCatalog } from '../catalog/catalog.ts'
import type { Config } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Explanation } from '../domain/explanation.ts'
import type { PassportRef } from '../domain/passport.ts'
import { datePlan, isRemoved, NO_PLAN } from '../domain/retirement.ts'
import { dayOf } from '../domain/usage.ts'
import { createDeprecation } from '../explorer/deprecation/deprecation.ts'
import { createExplorer } from '../explorer/explorer.ts'
import { createReference } from '../explorer/reference/reference.ts'
import type { Log } from '../log.ts'
import type { RuleSet } from '../scoring/rules.ts'
import { score } from '../scoring/score.ts'
import { SOON } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'
import { createErrorLog } from './error-log.ts'
import { createRequestLog } from './request-log.ts'
import { clearYoungWaste } from './young-waste.ts'

/** `connections` to a database server are for short statements; `max` in its address changes it. */
export const SERVING = { connections: 10, ...SOON }

type Listening = {
  config: Config
  store: Store
  now: () => number
  log: Log
  counter: RateCounter
  /** For the pages that tell how a score comes about. */
  rules: RuleSet
  /** Has what callers did kept. */
  keepUsage: (report: UsageReport) => void
  /** Where it is counted what becomes of requests, if it is. */
  metrics?: Metrics | undefined
  /** Lets other servers listen on the same port. */
  reusePort?: boolean
}

/** How often counts are handed over: what a crash loses. Writing them costs readers what SQLite keeps for them. */
const USAGE_MILLISECONDS = 10_000
/** How soon a change of the plan is obeyed. */
const PLAN_MILLISECONDS = 1000
/** How far behind a monthly quota may be. */
const MONTH_MILLISECONDS = 10_000

export type Listener = { server: ApiServer; drain(): Promise<void> }

/** Serves until it is drained. A port that cannot be had is a `CommandError`. */
export async function listen(options: Listening): Promise<Listener> {
  const { config, now, log, counter, keepUsage, metrics, rules, reusePort } = options
  const store = metrics ? instrumentStore(options.store, metrics.observeStore) : options.store
  const asked = createStoreCatalog(options.store)
  const catalog = metrics ? instrumentCatalog(asked, metrics.observeStore) : asked
  const usage = createUsageCounter(now)
  const limiter = createLimiter({ tiers: config.tiers, counter, now, isSpent: usage.isSpent })
  let plan = (await store.retirement.find()) ?? NO_PLAN
  const openApi = createOpenApi(VERSION)
  const datedPlan = () => datePlan(plan, config.deprecatedAt)
  const errors = createErrorLog(log)
  const explorer = config.explorer
    ? createExplorer({
        store,
        catalog,
        explain: createExplain(store, rules, now),
        now,
        api: () => (isRemoved(plan, now()) ? 'removed' : config.requireKey ? 'key required' : 'open'),
        publicUrl: config.publicUrl,
      })
    : undefined
  const shown = { plan: datedPlan, now, explorer: config.explorer }
  const document = createPage(JSON.stringify(openApi), JSON_HEADERS)
  const serverOptions = {
    ...config,
    reusePort,
    tls: config.tls && readTls(config.tls),
    store,
    catalog,
    now,
    limiter,
    usage,
    plan: () => plan,
    routes: [
      pageRoute('/openapi.json', () => document),
      ...createReference(openApi, shown),
      createDeprecation(shown),
      ...(explorer?.routes ?? []),
    ],
    errorPage: explorer?.errorPage,
    onError: (error: unknown, { id, method, route }: Pick<RequestSummary, 'id' | 'method' | 'route'>) =>
      errors.error(describe(error), { request_id: id, method, route }),
    metrics,
    onResponse: config.logRequests ? createRequestLog(log) : undefined,
  }
  const names = { host: 'HOST', port: 'PORT' }
  const server = openPort({ host: config.host, port: config.port, names }, () => startServer(serverOptions))

  function handOver(): void {
    const report = usage.take()
    if (report.counts.length > 0) keepUsage(report)
  }
  async function readMonth(): Promise<void> {
    const day = dayOf(now())
    usage.setMonth(await sumMonth(store, day), day)
  }
  const watches = [
    clearYoungWaste(),
    setInterval(handOver, USAGE_MILLISECONDS),
    every(PLAN_MILLISECONDS, async () => {
      plan = (await store.retirement.find()) ?? NO_PLAN
    }),
  ]
  if (config.tiers.some(({ monthly }) => monthly !== undefined)) {
    watches.push(every(MONTH_MILLISECONDS, readMonth))
    await readMonth()
  }
  return {
    server,
    async drain() {
      await drain(server)
      for (const watch of watches) clearInterval(watch)
      handOver()
      errors.end()
    },
  }
}

/** Read again whenever a server starts: certificates are renewed. */
function readTls({ cert, key, http3 }: NonNullable<Config['tls']>) {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), http3 }
}

function createExplain(store: Store, rules: RuleSet, now: () => number) {
  return async (ref: PassportRef): Promise<Explanation | undefined> => {
    const evidence = await store.scoring.find(ref)
    if (!evidence) return undefined
    const { scores, lines } = score(evidence, rules, now())
    return { scores, lines, rules: rules.version, caps: rules.caps ?? {} }
  }
}

/** Does it again and again; a failure leaves things as they were until the next time. */
function every(milliseconds: number, work: () => Promise<void>): Timer {
  return setInterval(() => void work().catch(() => undefined), milliseconds)
}

async function sumMonth(store: Store, until: string): Promise<Map<string, number>> {
  return new Map(await store.usage.sumByKey({ since: `${until.slice(0, 8)}01`, until }))
}

async function drain(server: ApiServer): Promise<void> {
  const forced = setTimeout(() => server.stop(true), DRAIN_MILLISECONDS)
  await server.stop()
  clearTimeout(forced)
}

/** All that is known of an error that is not the caller's. */
function describe(error: unknown): string {
  if (error instanceof ServiceError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
