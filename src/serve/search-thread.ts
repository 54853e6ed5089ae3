import { createLiveIndex } from '../catalog/live-index.ts'
import { createMovers } from '../catalog/movers.ts'
import { createSearchServer } from '../catalog/remote-search.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { createErrorLog } from '../log.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { threadLog as log, send, type ToThread } from './messages.ts'

/** Requests wait while an index of at most this many passports is built, which takes about a second. */
const MOST_AWAITED = 50_000

declare const self: Worker

const failures = createErrorLog(log)
const ending = new AbortController()

let config: Config
let store: Store | undefined
let index: ReturnType<typeof createIndex> | undefined
let snapshot: Snapshot | undefined
let mayIndex = false

const server = createSearchServer(
  async (current, request, cursor) => (await openIndex()).find(current, request, cursor),
  async (current, request) => (await openIndex()).movers(current, request),
)

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      config = data.config
      // Opens the store at the start, as other threads do, before a newer version can migrate the database.
      void openIndex().catch(logFailure)
      snapshot = data.snapshot
      break
    case 'connect':
      return server.connect(data.port)
    case 'stop':
      return void stop()
    case 'started':
      mayIndex = true
      break
    case 'snapshot':
      snapshot = data.snapshot
  }
  if (!snapshot) return
  server.update(snapshot)
  if (mayIndex) void follow(snapshot)
}

function logFailure(error: unknown): void {
  failures.error(`The index for filters could not be updated: ${describeError(error)}`)
}

/** Updates the index in the background. */
const follow = (current: Snapshot) => openIndex().then((opened) => opened.follow(current), logFailure)

/** Opens the store and the index; keyword searches need neither. After a failure, the next request tries again. */
function openIndex(): ReturnType<typeof createIndex> {
  index ??= createIndex().catch((error) => {
    index = undefined
    throw error
  })
  return index
}

async function createIndex() {
  store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const options = { mostAwaited: MOST_AWAITED, signal: ending.signal, onFailure: logFailure }
  return { ...createLiveIndex(store, options), movers: createMovers(store.events) }
}

async function stop(): Promise<void> {
  ending.abort()
  // If the store could not be opened, there is nothing to close.
  await index?.catch(() => undefined)
  await store?.close()
  failures.end()
  send({ kind: 'stopped' })
}
