import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../basics/log.ts'
import type { FromThread, ToThread } from './messages.ts'

/**
 * In a compiled executable, the files of threads have their paths below src, because deploy/executable.ts builds all of
 * them.
 */
const urlOf = (file: string) =>
  Bun.isStandaloneExecutable ? `./${file}` : new URL(`../../${file}`, import.meta.url).href

/** Longer than the graceful shutdown of a server thread: 5 s for requests, and 5 s for its usage counts. */
const STOP_TIMEOUT_MILLISECONDS = 10_500

const FIRST_PAUSE_MILLISECONDS = 100
const MAX_PAUSE_MILLISECONDS = 5000

/** If a thread ends after it ran for this long, it is restarted without a pause. */
const HEALTHY_MILLISECONDS = 10_000

export type ThreadOptions = {
  name: string
  file: string
  /** It is ended instead of asked to stop. */
  isTerminated?: boolean
  log: Log
  /** Called at each start, including the first. */
  onStart: (thread: { post: (message: ToThread, transfer?: Transferable[]) => void }) => void
  onMessage?: (message: FromThread, worker: Worker) => void
  onEnd?: (worker: Worker) => void
}

type ThreadState = {
  worker?: Worker
  /** Resolves when the current worker has stopped. */
  stopped: PromiseWithResolvers<void>
  isStopping: boolean
  /** Before the next start. */
  pause: number
  timer?: Timer
}

/** Runs a thread, and restarts it with backoff if it ends by itself. */
export function startThread(options: ThreadOptions) {
  const state: ThreadState = { stopped: Promise.withResolvers(), isStopping: false, pause: 0 }
  startWorker(options, state)
  function end(): void {
    state.isStopping = true
    clearTimeout(state.timer)
  }
  return {
    post: (message: ToThread, transfer: Transferable[] = []) => state.worker?.postMessage(message, transfer),
    /** Ends the thread without waiting for it. */
    terminate(): void {
      end()
      state.worker?.terminate()
    },
    /** Asks the thread to stop, waits for it up to the timeout, and terminates it. */
    async stop(): Promise<void> {
      end()
      if (!options.isTerminated) {
        state.worker?.postMessage({ kind: 'stop' })
        const timeout = sleep(STOP_TIMEOUT_MILLISECONDS, undefined, { ref: false })
        await Promise.race([state.stopped.promise, timeout])
      }
      state.worker?.terminate()
    },
  }
}

function startWorker(options: ThreadOptions, state: ThreadState): void {
  const { name, file, log, onStart, onMessage, onEnd } = options
  const startedAt = performance.now()
  const worker = new Worker(urlOf(file), { smol: true })
  state.worker = worker
  state.stopped = Promise.withResolvers()
  worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
    if (data.kind === 'log') log[data.level](data.message, data.fields)
    else if (data.kind === 'stopped') state.stopped.resolve()
    else onMessage?.(data, worker)
  })
  worker.addEventListener('error', ({ message }) => {
    log.error(`The ${name} failed: ${message}`)
    // A thread that throws at its start does not always end by itself.
    worker.terminate()
  })
  worker.addEventListener('close', () => {
    state.stopped.resolve()
    onEnd?.(worker)
    if (state.isStopping) return
    if (performance.now() - startedAt >= HEALTHY_MILLISECONDS) state.pause = 0
    const { pause } = state
    log.error(`The ${name} ended; restarting it ${pause === 0 ? 'now' : `in ${pause / 1000} s`}.`)
    state.timer = setTimeout(startWorker, pause, options, state)
    state.pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MILLISECONDS), MAX_PAUSE_MILLISECONDS)
  })
  onStart({ post: (message, transfer = []) => worker.postMessage(message, transfer) })
}
