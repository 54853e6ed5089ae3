import type { Database } from 'bun:sqlite'
import { throwTranslated } from './connect.ts'

/** Lifetime of a shared transaction; writes of other connections become visible after it. */
const LIFE_MILLISECONDS = 5

/** Consecutive reads share a transaction, because begin and end cost more than a short read. All reads go through `read`. */
export function createReadTransaction(path: string, database: Database) {
  const begin = database.query('begin')
  // A commit would fail after an error.
  const rollback = database.query('rollback')
  let number = 0
  let endsAt = 0
  let timer: Timer | undefined
  let isClosed = false

  function end(): void {
    endsAt = 0
    if (!isClosed && database.inTransaction) rollback.run()
  }

  /** An open transaction would block checkpoints of the WAL. */
  function endUnused(): void {
    timer = undefined
    if (endsAt === 0) return
    if (performance.now() < endsAt) timer = setTimeout(endUnused, LIFE_MILLISECONDS)
    else end()
  }

  function start(): void {
    const now = performance.now()
    if (now < endsAt) return
    end()
    begin.run()
    endsAt = now + LIFE_MILLISECONDS
    timer ??= setTimeout(endUnused, LIFE_MILLISECONDS)
    number++
  }

  return {
    /** Errors of the file or the machine become `unavailable`. */
    read<T>(work: () => T): T {
      try {
        start()
        return work()
      } catch (error) {
        end()
        return throwTranslated(path, error)
      }
    },
    /** Results can be cached while this number stays the same. */
    number: () => number,
    end,
    close(): void {
      clearTimeout(timer)
      end()
      isClosed = true
      database.close()
    },
  }
}

export type ReadTransaction = ReturnType<typeof createReadTransaction>
