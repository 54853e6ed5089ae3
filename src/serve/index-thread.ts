import { type Job, pause, supervise } from '../core/basics/jobs.ts'
import { answerIndexCalls, type IndexState, notReady, PERCENT, VERSION } from '../core/index/calls.ts'
import { isOutdated, type LiveIndex, openLiveIndex, updateIndex } from '../core/index/live.ts'
import { countAlive } from '../core/index/passport-index.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import { SAVED_INDEX } from '../core/store/sql/saved-index.ts'
import type { Store } from '../core/store/store.ts'
import { threadLog as log, postToMain, type StartMessage, type ToThread } from '../core/threads/messages.ts'
import { questionsOf } from '../feature.ts'
import { FEATURES } from '../features.ts'

const UPDATE_MILLISECONDS = 500

/** Older read transactions of server threads end before a new version, so that no page of it has their rows. */
const READ_TRANSACTION_MILLISECONDS = 10

declare const self: Worker

const stop = new AbortController()
const questions = questionsOf(FEATURES)
let live: LiveIndex | undefined

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') void runIndexThread(data)
  else if (data.kind === 'stop') stop.abort()
  else if (data.kind === 'connect') void answerCalls(data.port)
}

async function answerCalls(port: MessagePort): Promise<void> {
  answerIndexCalls(port, getIndex, await questions)
}

function getIndex(): LiveIndex {
  if (!live) throw notReady(0)
  return live
}

async function runIndexThread({ config, index: state }: StartMessage): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  await supervise([followStore(store, state)], { log, signal: stop.signal, onError: () => undefined })
  await store.database.close()
  postToMain({ kind: 'stopped' })
}

/** Opens the index, and then keeps it up to date. */
function followStore(store: Store, state: IndexState): Job {
  const { signal } = stop
  let cursor = ''
  let isReported = false
  return {
    name: 'The index is outdated',
    interval: UPDATE_MILLISECONDS,
    async run() {
      const current =
        live ??
        (await openLiveIndex(store, store.data(SAVED_INDEX), { signal, onProgress: createProgress(state) }))
      if (live) await updateIndex(live, signal.aborted)
      if (current.cursor !== cursor) {
        cursor = current.cursor
        await pause(READ_TRANSACTION_MILLISECONDS, signal)
        Atomics.add(state, VERSION, 1)
      }
      postToMain({ kind: 'current', passports: countAlive(current.index) })
      if (!live) postToMain({ kind: 'indexed' })
      live = current
      if (isOutdated(live) && !isReported && !signal.aborted) postToMain({ kind: 'outdated' })
      isReported ||= isOutdated(live)
    },
    /** Saves the index, if another thread does not. */
    async end(attempt) {
      if (live && !isOutdated(live)) await attempt()
    },
  }
}

const PROGRESS_MILLISECONDS = 5000

/** Reports a build that takes long. */
function createProgress(state: IndexState) {
  let last = performance.now()
  return (percent: number) => {
    Atomics.store(state, PERCENT, percent)
    if (performance.now() < last + PROGRESS_MILLISECONDS) return
    last = performance.now()
    log.info(`The index is being built: ${percent} % done.`)
  }
}
