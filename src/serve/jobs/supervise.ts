import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '../../domain/errors.ts'
import type { Log } from '../../log.ts'

export type Job = {
  /** The beginning of the log entry for a failed run. */
  name: string
  /** Milliseconds between two runs, which may depend on the duration of the last one. */
  interval: number | ((took: number) => number)
  run(): Promise<void>
  /** Called when the service stops. `attempt` runs the job once more, and logs a failure. */
  end?(attempt: () => Promise<void>): Promise<void>
}

type Options = {
  log: Log
  signal: AbortSignal
  /** Called with the error of each failed run. */
  onError: (error: unknown) => void
}

/** Successive failures with different errors are logged at most this often. */
const FAILURE_LOG_MILLISECONDS = 60_000

/** Runs the jobs until the signal is aborted. A failed run does not end its job. */
export async function supervise(jobs: readonly Job[], options: Options): Promise<void> {
  await Promise.all(jobs.map((job) => repeat(job, options)))
}

async function repeat(job: Job, options: Options): Promise<void> {
  const { interval } = job
  const attempt = logFailures(job, options)
  while (!options.signal.aborted) {
    const begin = performance.now()
    await attempt()
    const took = performance.now() - begin
    await pause(typeof interval === 'number' ? interval : interval(took), options.signal)
  }
  await job.end?.(attempt)
}

/** An abort ends the pause early. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)

/** Logs repeated failures once. When a run succeeds again, logs the number of failed attempts. */
function logFailures({ name, run }: Job, { log, signal, onError }: Options): () => Promise<void> {
  let last = ''
  let loggedAt = Number.NEGATIVE_INFINITY
  let attempts = 0
  return async () => {
    try {
      await run()
      if (attempts > 0 && !signal.aborted) log.info(`No longer: ${name}.`, { failed_attempts: attempts })
      last = ''
      loggedAt = Number.NEGATIVE_INFINITY
      attempts = 0
    } catch (error) {
      onError(error)
      attempts++
      const text = describeError(error)
      if (text === last || performance.now() - loggedAt < FAILURE_LOG_MILLISECONDS) return
      log.error(`${name}: ${text}`)
      last = text
      loggedAt = performance.now()
    }
  }
}
