import { createFixedWindow, type RateLimitCounter } from '../api/rate-limit.ts'
import { createRedisRateLimit } from '../api/redis/redis-rate-limit.ts'
import type { UsageReport } from '../api/usage.ts'
import type { Written } from '../api/v3/apply-write.ts'
import { createSharedCatalog } from '../catalog/catalog.ts'
import { createSearchClient } from '../catalog/remote-search.ts'
import type { Config } from '../config/config.ts'
import { attempt, isExpected, overloaded } from '../domain/errors.ts'
import { createRasterizerClient } from '../explorer/pictures/rasterizer-calls.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { SubscriptionStore } from '../store/subscription-store.ts'
import { createCaller } from '../thread-calls.ts'
import { noteDamage, withDamage } from './damage.ts'
import { createUsageBuffer } from './jobs/store-usage.ts'
import {
  threadLog as log,
  type StartMessage,
  type SubscriptionCall,
  send,
  type ToThread,
  type WriterCall,
} from './messages.ts'
import { type Listener, listen } from './request-listener.ts'
import { createThreadMetrics, type RedisMetrics } from './server-thread-metrics.ts'

/** `max` in the database URL overrides `connections`. */
const STORE_OPTIONS = { connections: 10, migrate: false, ...SERVE_TIMEOUT }

const METRICS_MILLISECONDS = 1000

/** At most this many calls of each kind wait for the writer thread. Further ones are rejected as `overloaded`. */
const MOST_REPORTS = 1000
const MOST_WRITES = 16

declare const self: Worker

const called = {
  'search-thread': createSearchClient(),
  'picture-thread': createRasterizerClient(),
  'writer-thread': createCaller<WriterCall, unknown>('The writer thread ended.', MOST_REPORTS + MOST_WRITES),
}
const catalog = createSharedCatalog(called['search-thread'])
let listener: Listener | undefined
let store: Store | undefined
/** Counts that the writer thread could not receive are sent again with the next ones. */
const usage = createUsageBuffer()
let sending: Promise<unknown> | undefined

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      return void start(data)
    case 'snapshot':
      return catalog.update(data.snapshot)
    case 'connect':
      return called[data.thread].connect(data.port)
    case 'month':
      return listener?.setMonth(data.sums, data.day)
    case 'renew-tls':
      return listener?.renewTls()
    case 'stop':
      return void stop()
  }
}

async function start({ config, windows, snapshot, damage }: StartMessage): Promise<void> {
  if (snapshot) catalog.update(snapshot)
  try {
    const metrics = config.metrics && createThreadMetrics()
    if (metrics)
      setInterval(() => {
        const server = listener?.server()
        const families = metrics.read(server?.requestsInProgress() ?? 0, server?.openStreams() ?? 0)
        send({ kind: 'metrics', families })
      }, METRICS_MILLISECONDS)
    store = await openStore(config.database, { ...STORE_OPTIONS, onNotice: (sentence) => log.warn(sentence) })
    listener = await listen({
      config,
      store: withDamage({ ...store, subscriptions: callSubscriptions(store) }, damage),
      catalog,
      now: Date.now,
      log,
      rasterize: called['picture-thread'].rasterize,
      write: async (write, signal) => (await callWriter({ write }, signal)) as Written,
      onError: (error) => noteDamage(damage, error),
      counter: await openRateLimitCounter(config, windows, metrics?.redis),
      onUsage(report) {
        sending = Promise.all([sending, sendUsage(report)])
      },
      metrics: metrics?.metrics,
    })
    send({ kind: 'listening', port: listener.server().port, url: listener.server().url.href })
  } catch (error) {
    if (!isExpected(error)) throw error
    send({ kind: 'failed', reason: error.message })
  }
}

let waitingWrites = 0

async function callWriter(call: WriterCall, signal?: AbortSignal): Promise<unknown> {
  if (waitingWrites >= MOST_WRITES) throw overloaded('Too many writes wait. Try again shortly.')
  waitingWrites++
  try {
    return await called['writer-thread'].send(call, { signal })
  } finally {
    waitingWrites--
  }
}

/** The writer thread makes the changes, so that server threads never wait for the write lock of SQLite. */
function callSubscriptions({ subscriptions }: Store): SubscriptionStore {
  const call =
    (name: SubscriptionCall['name']) =>
    (...args: unknown[]) =>
      callWriter({ subscription: { name, args } })
  const names = ['create', 'change', 'remove'] as const
  return { ...subscriptions, ...Object.fromEntries(names.map((name) => [name, call(name)])) }
}

async function sendUsage(added: UsageReport): Promise<void> {
  usage.push(added)
  // After a failure, the counts are sent again with the next ones.
  await attempt(
    () => usage.flush(async (report) => void (await called['writer-thread'].send({ usage: report }))),
    (error) => log.error('Usage counts were not sent.', { error: String((error as Error).stack) }),
  )
}

/** Opens a counter in memory, which all server threads share, or in Redis, which all nodes share. */
async function openRateLimitCounter(
  { redisUrl }: Config,
  windows: Int32Array,
  metrics: RedisMetrics = { isUp: undefined, errors: 0 },
): Promise<RateLimitCounter> {
  const local = createFixedWindow(Date.now, windows)
  if (redisUrl === undefined) return local
  const { host } = new URL(redisUrl)
  metrics.isUp = true
  return createRedisRateLimit(redisUrl, local, {
    now: Date.now,
    onUnavailable(reason) {
      metrics.isUp = false
      log.warn(`Redis at ${host} is unavailable, each node counts its rate limits alone: ${reason}`)
    },
    onAvailable() {
      metrics.isUp = true
      log.warn(`Redis at ${host} is available again, rate limits are shared.`)
    },
    onError: () => void metrics.errors++,
  })
}

/** Closes the store: SQLite removes the WAL when the last connection closes. The main thread then ends this thread. */
async function stop(): Promise<void> {
  await listener?.drain()
  await sending
  usage.logLost(log)
  await store?.close()
  send({ kind: 'stopped' })
}
