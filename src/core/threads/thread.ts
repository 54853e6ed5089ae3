import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../basics/log.ts'
import type { FromThread, ToThread } from './messages.ts'

/** In a compiled executable, the files of threads have their paths below src, because deploy/executable.ts builds all of them. */
const urlOf = (file: string) =>
  Bun.isStandaloneExecutable ? `./${file}` : new URL(`../../${file}`, import.meta.url).href

/** Longer than the graceful shutdown of a server thread: 5 s for requests, and 5 s for its usage counts. */
const STOP_TIMEOUT_MILLISECONDS = 10_500

const FIRST_PAUSE_MILLISECONDS = 100
const MAX_PAUSE_MILLISECONDS = 5000

/** If a thread ends after it ran for this long, it is restarted without a pause. */
const HEALTHY_MILLISECONDS = 10_000

export type ThreadOptions = {
  /** Its name in the log. */
  name: string
  /** Its path below src. */
  file: string
  /** It is ended instead of asked to stop. */
  isTerminated?: boolean
  log: Log
  /** Called at each start, including the first. */
  onStart: (thread: { post: (message: ToThread, transfer?: Transferable[]) => void }) => void
  /** Called for messages that are specific to the thread. */
  onMessage?: (message: FromThread, worker: Worker) => void
  onEnd?: (worker: Worker) => void
}

/** Runs a thread, and restarts it with backoff if it ends by itself. */
export function startThread({ name, file, log, isTerminated, ...events }: ThreadOptions) {
  let worker: Worker
  let stopped: PromiseWithResolvers<void>
  let isStopping = false
  let pause = 0
  let timer: Timer | undefined

  function start(): void {
    const startedAt = performance.now()
    const current = new Worker(urlOf(file), { smol: true })
    worker = current
    stopped = Promise.withResolvers()
    current.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
      if (data.kind === 'log') log[data.level](data.message, data.fields)
      else if (data.kind === 'stopped') stopped.resolve()
      else events.onMessage?.(data, current)
    })
    current.addEventListener('error', ({ message }) => {
      log.error(`The ${name} failed: ${message}`)
      // A thread that throws at its start does not always end by itself.
      current.terminate()
    })
    current.addEventListener('close', () => {
      stopped.resolve()
      events.onEnd?.(current)
      if (isStopping) return
      if (performance.now() - startedAt >= HEALTHY_MILLISECONDS) pause = 0
      log.error(`The ${name} ended; restarting it ${pause === 0 ? 'now' : `in ${pause / 1000} s`}.`)
      timer = setTimeout(start, pause)
      pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MILLISECONDS), MAX_PAUSE_MILLISECONDS)
    })
    events.onStart({ post })
  }

  const post = (message: ToThread, transfer: Transferable[] = []) => worker.postMessage(message, transfer)

  function end(): void {
    isStopping = true
    clearTimeout(timer)
  }

  start()
  return {
    post,
    /** Ends the thread without waiting for it. */
    terminate(): void {
      end()
      worker.terminate()
    },
    /** Asks the thread to stop, waits for it up to the timeout, and terminates it. */
    async stop(): Promise<void> {
      end()
      if (!isTerminated) {
        worker.postMessage({ kind: 'stop' })
        await Promise.race([stopped.promise, sleep(STOP_TIMEOUT_MILLISECONDS, undefined, { ref: false })])
      }
      worker.terminate()
    },
  }
}
