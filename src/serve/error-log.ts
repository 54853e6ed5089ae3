import { ServiceError } from '../domain/errors.ts'
import type { Fields, Log } from '../log.ts'

const INTERVAL_MILLISECONDS = 1000

/** Errors with ever-changing messages are limited too: messages beyond this number share one entry. */
const MAX_MESSAGES = 20
const OTHER_ERRORS = 'Further errors with different messages.'

/** Logs each error message at most once per interval; `left_out` is the number of suppressed repetitions. */
export function createErrorLog(log: Pick<Log, 'error'>, interval = INTERVAL_MILLISECONDS) {
  const recent = new Map<string, { fields: Fields; suppressed: number }>()
  let timer: Timer | undefined

  /** Logs the latest suppressed error of each message. */
  function logSuppressed(): void {
    for (const [message, { fields, suppressed }] of recent) {
      if (suppressed === 0) recent.delete(message)
      else {
        log.error(message, { ...fields, ...(suppressed > 1 && { left_out: suppressed - 1 }) })
        recent.set(message, { fields, suppressed: 0 })
      }
    }
    timer = recent.size > 0 ? setTimeout(logSuppressed, interval) : undefined
    timer?.unref()
  }

  return {
    error(message: string, fields: Fields = {}): void {
      const entry = recent.has(message) || recent.size < MAX_MESSAGES ? message : OTHER_ERRORS
      const known = recent.get(entry)
      if (known) {
        known.fields = fields
        known.suppressed++
        return
      }
      recent.set(entry, { fields, suppressed: 0 })
      log.error(entry === message ? message : `${OTHER_ERRORS} One of them: ${message}`, fields)
      timer ??= setTimeout(logSuppressed, interval)
      timer.unref()
    },
    end(): void {
      clearTimeout(timer)
      logSuppressed()
      clearTimeout(timer)
    },
  }
}

/** The message of an expected error, and the stack of any other. */
export function describeError(error: unknown): string {
  if (error instanceof ServiceError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
