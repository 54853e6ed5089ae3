import { setTimeout as sleep } from 'node:timers/promises'
import type { Awaitable } from './awaitable.ts'
import { describeError, FileFaultError, ServiceError } from './errors.ts'
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
  /** Called when a job succeeds again. */
  onRecovery?: () => void
}

/**
 * If a job is tried again within this time, an unavailable database is logged only afterwards: a restart takes seconds.
 */
const PATIENCE_MILLISECONDS = 5000

/** Runs the jobs until the signal is aborted. A failed run does not end its job. */
export async function supervise(jobs: readonly Job[], options: Options): Promise<void> {
  await Promise.all(jobs.map((job) => repeat(job, options)))
}

/** When a run succeeds again, logs the number of failed attempts. */
async function repeat(job: Job, { log, signal, onError, onRecovery }: Options): Promise<void> {
  const { name } = job
  const errors = createErrorLog(log)
  const intervalAfter = (took: number) =>
    typeof job.interval === 'number' ? job.interval : job.interval(took)
  let failures = 0
  let failingSince = 0
  let isLogged = false

  function fail(error: unknown): void {
    onError(error)
    if (failures++ === 0) failingSince = performance.now()
    const failing = performance.now() - failingSince
    if (!signal.aborted && isPassing(error) && failing + intervalAfter(0) < PATIENCE_MILLISECONDS) return
    isLogged = true
    errors.error(`${name}: ${describeError(error)}`)
  }

  function recover(): void {
    if (isLogged && !signal.aborted) log.info(`No longer: ${name}.`, { failed_attempts: failures })
    errors.forget()
    onRecovery?.()
    failures = 0
    isLogged = false
  }

  async function attempt(): Promise<void> {
    try {
      await job.run(errors)
      if (failures > 0) recover()
    } catch (error) {
      fail(error)
    }
  }

  while (!signal.aborted) {
    const begin = performance.now()
    await attempt()
    await pause(intervalAfter(performance.now() - begin), signal)
  }
  await job.end?.(attempt)
  errors.end()
}

const DAY_MILLISECONDS = 86_400_000

/** `remove` deletes a batch of old rows and returns whether there were any. Deleting all at once would delay writes. */
export const deleteOld = (
  rows: string,
  days: number,
  signal: AbortSignal,
  remove: (before: number) => Awaitable<boolean>,
): Job => ({
  name: `Old ${rows} cannot be deleted`,
  interval: DAY_MILLISECONDS / 24,
  async run() {
    const before = Date.now() - days * DAY_MILLISECONDS
    while (!signal.aborted && (await remove(before))) await pause(0, signal)
  },
})

/** Whether an error may end by itself, unlike a damaged file. */
const isPassing = (error: unknown) =>
  error instanceof ServiceError && error.code === 'unavailable' && !(error instanceof FileFaultError)

/** An abort ends the pause early. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
