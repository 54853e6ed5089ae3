import { describeError, ServiceError } from '../core/basics/errors.ts'
import { createErrorLog } from '../core/basics/log.ts'
import type { Config } from '../core/config/config.ts'
import { releaseReplaced } from '../core/index/free-snapshots.ts'
import { createLiveIndex } from '../core/index/live-index.ts'
import { createSearchServer } from '../core/index/remote-search.ts'
import type { Snapshot } from '../core/index/snapshot.ts'
import { createMovers } from '../core/reads/movers.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import type { Store } from '../core/store/store.ts'
import { threadLog as log, send, type ToThread } from '../core/threads/messages.ts'

/** Optional parts of pages wait for an index of at most this many passports, which is built in about a second. */
const MOST_AWAITED = 100_000

declare const self: Worker

const failures = createErrorLog(log)
const ending = new AbortController()
const opened = Promise.withResolvers<{
  store: Store
  index: ReturnType<typeof createLiveIndex>
  movers: ReturnType<typeof createMovers>
}>()
let snapshot: Snapshot | undefined
let mayIndex = false

const server = createSearchServer(
  async (...request) => (await opened.promise).index.find(...request),
  async (...request) => (await opened.promise).movers(...request),
  async (current) => (await opened.promise).index.wait(current),
)

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  switch (data.kind) {
    case 'start':
      void open(data.config)
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
      releaseReplaced(data.snapshot)
      snapshot = data.snapshot
  }
  if (!snapshot) return
  server.update(snapshot)
  if (mayIndex) void follow(snapshot)
}

/** Keyword searches need neither the store nor the index. After a failure, the thread is restarted. */
async function open({ database }: Config): Promise<void> {
  const store = await openStore(database, { ...SERVE_TIMEOUT, migrate: false })
  const index = createLiveIndex(store, {
    mostAwaited: MOST_AWAITED,
    signal: ending.signal,
    onFailure: (error) =>
      failures.error(`The index for filters could not be updated: ${describeError(error)}`),
    onSuccess: failures.forget,
  })
  opened.resolve({ store, index, movers: createMovers(store.events) })
}

/** Updates the index in the background. */
const follow = async (current: Snapshot) => (await opened.promise).index.follow(current)

async function stop(): Promise<void> {
  ending.abort(new ServiceError('unavailable', 'The service is stopping.'))
  await (await opened.promise).store.database.close()
  failures.end()
  send({ kind: 'stopped' })
}
