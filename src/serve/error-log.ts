import type { Fields, Log } from '../log.ts'

const QUIET_MILLISECONDS = 1000

/** What differs in each message is not let through for that. */
const MOST_KINDS = 20
const MORE_KINDS = 'Errors of more kinds than are told apart.'

/** Logs the same error once a second at most, and how many were left out. */
export function createErrorLog(log: Pick<Log, 'error'>) {
  const recent = new Map<string, { fields: Fields; left: number }>()
  let timer: Timer | undefined

  /** Tells the last one of each kind that came meanwhile. */
  function tellLeft(): void {
    for (const [message, { fields, left }] of recent) {
      if (left === 0) recent.delete(message)
      else {
        log.error(message, { ...fields, ...(left > 1 && { left_out: left - 1 }) })
        recent.set(message, { fields, left: 0 })
      }
    }
    timer = recent.size > 0 ? setTimeout(tellLeft, QUIET_MILLISECONDS) : undefined
    timer?.unref()
  }

  return {
    error(message: string, fields: Fields = {}): void {
      const kind = recent.has(message) || recent.size < MOST_KINDS ? message : MORE_KINDS
      const known = recent.get(kind)
      if (known) {
        known.fields = fields
        known.left++
        return
      }
      recent.set(kind, { fields, left: 0 })
      log.error(kind === message ? message : `${MORE_KINDS} One of them: ${message}`, fields)
      timer ??= setTimeout(tellLeft, QUIET_MILLISECONDS)
      timer.unref()
    },
    /** Tells what is still to be told. */
    end(): void {
      clearTimeout(timer)
      tellLeft()
      clearTimeout(timer)
    },
  }
}
