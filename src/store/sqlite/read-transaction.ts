import type { Database } from 'bun:sqlite'
import { throwTranslated } from './connect.ts'

/** For how long reads share a transaction; writes of other connections are visible after it. */
const LIFE_MILLISECONDS = 5

/**
 * Reads that closely follow each other share one transaction: beginning and ending one costs more than a short read.
 * Everything is read from the connection by `read`.
 */
export function createReadTransaction(path: string, database: Database) {
  const begin = database.query('begin')
  // After a failure a commit would fail as well.
  const rollback = database.query('rollback')
  let number = 0
  let endsAt = 0
  let timer: Timer | undefined
  let isClosed = false

  function end(): void {
    endsAt = 0
    if (!isClosed && database.inTransaction) rollback.run()
  }

  /** An open transaction would keep the WAL from being checkpointed. */
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
    /** A failure of the file or the machine comes out as `unavailable`. */
    read<T>(work: () => T): T {
      try {
        start()
        return work()
      } catch (error) {
        end()
        return throwTranslated(path, error)
      }
    },
    /** The number of the transaction: what was read in it stays true while the number is the same. */
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
