import type { WireRecordsResult } from '../core/api/write-schemas.ts'
import { isExpected } from '../core/basics/errors.ts'
import { createCaller } from '../core/basics/thread-calls.ts'
import { createSharedCatalog } from '../core/index/catalog.ts'
import { releaseReplaced } from '../core/index/free-snapshots.ts'
import { createSearchClient } from '../core/index/remote-search.ts'
import { noteDamage, withDamage } from '../core/store/damage.ts'
import { sendWrites } from '../core/store/data.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import type { Store } from '../core/store/store.ts'
import {
  threadLog as log,
  type StartMessage,
  send,
  type ToThread,
  WRITER_METHODS,
  type WriterCall,
} from '../core/threads/messages.ts'
import { createRasterizerClient } from '../features/pictures/rasterizer-calls.ts'
import { shareFold } from '../features/proof/share-fold.ts'
import { type Listener, listen } from './request-listener.ts'
import { createThreadMetrics } from './server-thread-metrics.ts'

/** `max` in the database URL overrides `connections`. */
const STORE_OPTIONS = { connections: 10, migrate: false, ...SERVE_TIMEOUT }

const METRICS_MILLISECONDS = 1000

/** At most this many calls wait for the writer thread. Further ones are rejected as `overloaded`. */
const MOST_WRITES = 16

declare const self: Worker

const called = {
  'search-thread': createSearchClient(),
  'picture-thread': createRasterizerClient(),
  'writer-thread': createCaller<WriterCall, unknown>('The writer thread ended.', MOST_WRITES),
}
const catalog = createSharedCatalog(called['search-thread'])
let listener: Listener | undefined
let store: Store | undefined

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      return void start(data)
    case 'snapshot':
      releaseReplaced(data.snapshot)
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

async function start({ config, windows, fonts, snapshot, damage }: StartMessage): Promise<void> {
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
      fonts: fonts?.length
        ? new RegExp(fonts.map(({ characters }) => characters.source).join('|'), 'u')
        : undefined,
      store: withDamage(withWriter(store), damage),
      catalog,
      now: Date.now,
      log,
      rasterize: called['picture-thread'].rasterize,
      saveRecords: async (records, signal) =>
        (await called['writer-thread'].send({ records }, { signal })) as WireRecordsResult,
      onError: (error) => noteDamage(damage, error),
      windows,
      metrics: metrics?.metrics,
    })
    send({ kind: 'listening', port: listener.server().port, url: listener.server().url.href })
  } catch (error) {
    if (!isExpected(error)) throw error
    send({ kind: 'failed', reason: error.message })
  }
}

/** Returns the store with methods that call the writer thread. */
function withWriter(store: Store): Store {
  const { send } = called['writer-thread']
  const parts = Object.entries(WRITER_METHODS) as [keyof typeof WRITER_METHODS, readonly string[]][]
  const remote = parts.map(([part, methods]) => {
    // These calls are accepted even if many writes wait, because there is one at a time.
    const options = { isUrgent: part === 'events' }
    const toCall = (method: string) => [method, (...args: unknown[]) => send({ part, method, args }, options)]
    return [part, { ...store[part], ...Object.fromEntries(methods.map(toCall)) }]
  })
  const written: Store = { ...store, ...Object.fromEntries(remote), data: sendWrites(store.data, send) }
  return { ...written, events: { ...written.events, fold: shareFold(written.events.fold) } }
}

/** Closes the store: SQLite removes the WAL when the last connection closes. The main thread then ends this thread. */
async function stop(): Promise<void> {
  await listener?.drain()
  await store?.close()
  send({ kind: 'stopped' })
}
