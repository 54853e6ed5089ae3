import { createLiveIndex } from '../catalog/live-index.ts'
import { createSearchServer } from '../catalog/remote-search.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createErrorLog } from './error-log.ts'
import { createIndexProgress } from './index-progress.ts'
import { createThreadLog, type FromThread, type ToSearch } from './messages.ts'

/** An index of so many passports is built within about a second. */
const MOST_AWAITED = 50_000

/** A failure that repeats is logged once, and then with a count. */
const FAILURE_LOG_MILLISECONDS = 60_000

declare const self: Worker

const send = (message: FromThread) => postMessage(message)
const log = createThreadLog(send)
const failures = createErrorLog(log, FAILURE_LOG_MILLISECONDS)
const ending = new AbortController()

let config: Config
let opened: Promise<Store> | undefined
let index: ReturnType<typeof createLiveIndex> | undefined
let snapshot: Snapshot | undefined
let mayIndex = false

const server = createSearchServer(async (current, request, cursor) =>
  (await openIndex()).find(current, request, cursor),
)

self.onmessage = ({ data }: MessageEvent<ToSearch>) => {
  if (data.kind === 'start') start(data.config)
  else if (data.kind === 'connect') server.connect(data.port)
  else if (data.kind === 'stop') void stop()
  else {
    if (data.kind === 'index') mayIndex = true
    else {
      snapshot = data.snapshot
      server.update(snapshot)
    }
    if (mayIndex && snapshot) void follow(snapshot)
  }
}

function logFailure(error: unknown): void {
  failures.error(`The index for filters could not be updated: ${describeError(error)}`)
}

/** Opens the store together with the other threads, before a newer version can migrate the database. */
function start(received: Config): void {
  config = received
  openOnce().catch(logFailure)
}

/** Updates the index in the background. */
async function follow(current: Snapshot): Promise<void> {
  try {
    const opened = await openIndex()
    opened.follow(current)
  } catch (error) {
    logFailure(error)
  }
}

async function openIndex() {
  const store = await openOnce()
  index ??= createLiveIndex(store, {
    mostAwaited: MOST_AWAITED,
    signal: ending.signal,
    onProgress: createIndexProgress(log),
    onFailure: logFailure,
  })
  return index
}

/** Keyword searches need no store. After a failure, the next request tries again. */
function openOnce(): Promise<Store> {
  opened ??= openStore(config.database, { ...SERVE_TIMEOUT, migrate: false }).catch((error) => {
    opened = undefined
    throw error
  })
  return opened
}

async function stop(): Promise<void> {
  ending.abort()
  // If the store could not be opened, there is nothing to close.
  const store = await opened?.catch(() => undefined)
  await store?.close()
  failures.end()
  send({ kind: 'stopped' })
}
