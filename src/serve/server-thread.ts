import { isExpected } from '../core/basics/errors.ts'
import { createCaller } from '../core/basics/thread-calls.ts'
import { createIndexClient } from '../core/index/calls.ts'
import { noteDamage, withDamage } from '../core/store/damage.ts'
import { sendWrites, type WriteCall } from '../core/store/data.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import type { Store } from '../core/store/store.ts'
import { LOG_HEAD } from '../core/store/write/write-events.ts'
import { PASSPORT_CHANGES } from '../core/store/write/write-records.ts'
import { threadLog as log, postToMain, type StartMessage, type ToThread } from '../core/threads/messages.ts'
import { clientsOf, servingOf, type ThreadClient } from '../feature.ts'
import { FEATURES } from '../features.ts'
import { type Listener, listen } from './request-listener.ts'
import { createThreadMetrics } from './server-thread-metrics.ts'

/** `max` in the database URL overrides `connections`. */
const STORE_OPTIONS = { connections: 10, migrate: false, ...SERVE_TIMEOUT }

const METRICS_MILLISECONDS = 1000

/** At most this many calls wait for the writer thread. Further ones are rejected as `overloaded`. */
const MOST_WRITES = 16

declare const self: Worker

const index = createIndexClient()
const writer = createCaller<WriteCall, unknown>('The writer thread ended.', MOST_WRITES)
const featureClients = clientsOf(FEATURES)
let listener: Listener | undefined
let store: Store | undefined

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      return void start(data)
    case 'connect':
      return void connectThread(data.thread, data.port)
    case 'renew-tls':
      return listener?.renewTls()
    case 'stop':
      return void stop()
  }
}

async function connectThread(thread: string, port: MessagePort): Promise<void> {
  const own: Record<string, ThreadClient> = { 'index-thread': index, 'writer-thread': writer }
  const client = own[thread] ?? (await featureClients)[thread]
  client?.connect(port)
}

async function start({ config, windows, damage, index: state }: StartMessage): Promise<void> {
  index.share(state)
  try {
    const serving = await servingOf(FEATURES)
    const metrics = config.metrics && createThreadMetrics()
    if (metrics)
      setInterval(() => {
        const server = listener?.server()
        const counted = listener?.readMetrics() ?? []
        const families = metrics.read(counted, server?.requestsInProgress() ?? 0, server?.openStreams() ?? 0)
        postToMain({ kind: 'metrics', families })
      }, METRICS_MILLISECONDS)
    store = await openStore(config.database, { ...STORE_OPTIONS, onNotice: (sentence) => log.warn(sentence) })
    listener = await listen({
      config,
      serving,
      store: withDamage(withWriter(store), damage),
      index,
      now: Date.now,
      log,
      clients: await featureClients,
      onError: (error) => noteDamage(damage, error),
      windows,
    })
    postToMain({ kind: 'listening', port: listener.server().port, url: listener.server().url.href })
  } catch (error) {
    if (!isExpected(error)) throw error
    postToMain({ kind: 'failed', reason: error.message })
  }
}

/** Returns the store with writes that the writer thread runs. */
function withWriter(store: Store): Store {
  const data = sendWrites(store.data, writer.send)
  const passports = { ...store.passports, ...data(PASSPORT_CHANGES) }
  const events = { ...store.events, ...data(LOG_HEAD) }
  return { ...store, data, passports, events }
}

/** Closes the store: SQLite removes the WAL when the last connection closes. The main thread then ends this thread. */
async function stop(): Promise<void> {
  await listener?.drain()
  await store?.database.close()
  postToMain({ kind: 'stopped' })
}
