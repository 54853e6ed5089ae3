export type Fields = Readonly<Record<string, string | number | boolean>>

export type Log = Record<'info' | 'warn' | 'error', (message: string, fields?: Fields) => void>

const LEVELS: readonly (keyof Log)[] = ['info', 'warn', 'error']

type LogOptions = { write: (line: string) => void; json: boolean; now: () => number; level?: keyof Log }

/**
 * Writes an entry per line, from `level` on: text on a terminal, JSON elsewhere. Never pass a key, or the whole address
 * of a client.
 */
export function createLog(options: LogOptions): Log {
  const { write, json, now, level: least = 'info' } = options

  const logAs = (level: keyof Log) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return () => undefined
    return (message: string, fields: Fields = {}) => {
      const time = new Date(now()).toISOString()
      if (json) return write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
      const details = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      // Indents further lines of a message, so that they do not look like entries.
      write(`${[time, level, message.replaceAll('\n', '\n  '), ...details].join(' ')}\n`)
    }
  }

  return { info: logAs('info'), warn: logAs('warn'), error: logAs('error') }
}

/** An outage of hours must not fill the log. */
const INTERVAL_MILLISECONDS = 60_000

/** Further messages share one entry, so that errors with ever-changing messages cannot fill the log either. */
const MAX_MESSAGES = 20
const OTHER_ERRORS = 'Further errors with different messages.'

/** Logs each error message at most once a minute; `left_out` is the number of suppressed repetitions. */
export function createErrorLog(log: Pick<Log, 'error'>) {
  const recent = new Map<string, { fields: Fields; suppressed: number }>()
  let timer: Timer | undefined

  /** Logs the latest suppressed error of each message. */
  function logSuppressed(): void {
    for (const [message, entry] of recent) {
      const { fields, suppressed } = entry
      entry.suppressed = 0
      if (suppressed === 0) recent.delete(message)
      else log.error(message, { ...fields, ...(suppressed > 1 && { left_out: suppressed - 1 }) })
    }
    timer = recent.size > 0 ? setTimeout(logSuppressed, INTERVAL_MILLISECONDS).unref() : undefined
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
      timer ??= setTimeout(logSuppressed, INTERVAL_MILLISECONDS).unref()
    },
    /** The errors are over: their suppressed repetitions are not logged. */
    forget(): void {
      recent.clear()
      clearTimeout(timer)
      timer = undefined
    },
    end(): void {
      clearTimeout(timer)
      logSuppressed()
      clearTimeout(timer)
    },
  }
}
