import { isExpected } from '../core/basics/errors.ts'
import { createCaller } from '../core/basics/thread-calls.ts'
import { createIndexClient } from '../core/index/calls.ts'
import { noteDamage, withDamage } from '../core/store/damage.ts'
import { sendWrites, type WriteCall } from '../core/store/data.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import type { Store } from '../core/store/store.ts'
import { LOG_HEAD } from '../core/store/write/write-events.ts'
import { PASSPORT_CHANGES } from '../core/store/write/write-records.ts'
import { threadLog as log, type StartMessage, send, type ToThread } from '../core/threads/messages.ts'
import { servingOf } from '../feature.ts'
import { createRasterizerClient } from '../features/pictures/rasterizer-calls.ts'
import { shareFold } from '../features/proof/share-fold.ts'
import { FEATURES } from '../features.ts'
import { type Listener, listen } from './request-listener.ts'
import { createThreadMetrics } from './server-thread-metrics.ts'

/** `max` in the database URL overrides `connections`. */
const STORE_OPTIONS = { connections: 10, migrate: false, ...SERVE_TIMEOUT }

const METRICS_MILLISECONDS = 1000

/** At most this many calls wait for the writer thread. Further ones are rejected as `overloaded`. */
const MOST_WRITES = 16

declare const self: Worker

const called = {
  'index-thread': createIndexClient(),
  'picture-thread': createRasterizerClient(),
  'writer-thread': createCaller<WriteCall, unknown>('The writer thread ended.', MOST_WRITES),
}
let listener: Listener | undefined
let store: Store | undefined

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      return void start(data)
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

async function start({ config, windows, fonts, damage, index }: StartMessage): Promise<void> {
  called['index-thread'].share(index)
  try {
    const serving = await servingOf(FEATURES)
    const metrics = config.metrics && createThreadMetrics()
    if (metrics)
      setInterval(() => {
        const server = listener?.server()
        const counted = listener?.readMetrics() ?? []
        const families = metrics.read(counted, server?.requestsInProgress() ?? 0, server?.openStreams() ?? 0)
        send({ kind: 'metrics', families })
      }, METRICS_MILLISECONDS)
    store = await openStore(config.database, { ...STORE_OPTIONS, onNotice: (sentence) => log.warn(sentence) })
    listener = await listen({
      config,
      serving,
      fonts: fonts?.length
        ? new RegExp(fonts.map(({ characters }) => characters.source).join('|'), 'u')
        : undefined,
      store: withDamage(withWriter(store), damage),
      index: called['index-thread'],
      now: Date.now,
      log,
      rasterize: called['picture-thread'].rasterize,
      onError: (error) => noteDamage(damage, error),
      windows,
    })
    send({ kind: 'listening', port: listener.server().port, url: listener.server().url.href })
  } catch (error) {
    if (!isExpected(error)) throw error
    send({ kind: 'failed', reason: error.message })
  }
}

/** Returns the store with writes that the writer thread runs. */
function withWriter(store: Store): Store {
  const data = sendWrites(store.data, called['writer-thread'].send)
  const passports = { ...store.passports, ...data(PASSPORT_CHANGES) }
  const events = { ...store.events, fold: shareFold(data(LOG_HEAD).fold) }
  return { ...store, data, passports, events }
}

/** Closes the store: SQLite removes the WAL when the last connection closes. The main thread then ends this thread. */
async function stop(): Promise<void> {
  await listener?.drain()
  await store?.database.close()
  send({ kind: 'stopped' })
}
