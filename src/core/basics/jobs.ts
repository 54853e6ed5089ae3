import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from './errors.ts'
import { createErrorLog, type Log } from './log.ts'

export type ErrorLog = Pick<Log, 'error'>

export type Job = {
  /** The beginning of the log entry for a failed run. */
  name: string
  /** Milliseconds between two runs, which may depend on the duration of the last one. */
  interval: number | ((took: number) => number)
  /** `errors` logs each message at most once a minute. */
  run(errors: ErrorLog): Promise<void>
  /** Called when the service stops. `attempt` runs the job once more, and logs a failure. */
  end?(attempt: () => Promise<void>): Promise<void>
}

type Options = {
  log: Log
  signal: AbortSignal
  /** Called with the error of each failed run. */
  onError: (error: unknown) => void
}

/** Runs the jobs until the signal is aborted. A failed run does not end its job. */
export async function supervise(jobs: readonly Job[], options: Options): Promise<void> {
  await Promise.all(jobs.map((job) => repeat(job, options)))
}

/** When a run succeeds again, logs the number of failed attempts. */
async function repeat(job: Job, { log, signal, onError }: Options): Promise<void> {
  const { name, interval } = job
  const errors = createErrorLog(log)
  let failures = 0

  async function attempt(): Promise<void> {
    try {
      await job.run(errors)
      if (failures > 0 && !signal.aborted) log.info(`No longer: ${name}.`, { failed_attempts: failures })
      failures = 0
    } catch (error) {
      onError(error)
      failures++
      errors.error(`${name}: ${describeError(error)}`)
    }
  }

  while (!signal.aborted) {
    const begin = performance.now()
    await attempt()
    const took = performance.now() - begin
    await pause(typeof interval === 'number' ? interval : interval(took), signal)
  }
  await job.end?.(attempt)
  errors.end()
}

/** An abort ends the pause early. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
