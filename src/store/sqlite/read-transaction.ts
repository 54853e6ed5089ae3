import type { Database } from 'bun:sqlite'

/** For how long reads share a transaction; writes of other connections are visible after it. */
const LIFE_MILLISECONDS = 5

/**
 * Reads that closely follow each other share one transaction: beginning and ending one costs more than a short read.
 * Nothing may be read from the connection without calling `begin` first.
 */
export function createReadTransaction(database: Database) {
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

  return {
    /** Gives back the number of the transaction: what was read in it stays true while the number is the same. */
    begin(): number {
      const now = performance.now()
      if (now < endsAt) return number
      end()
      begin.run()
      endsAt = now + LIFE_MILLISECONDS
      timer ??= setTimeout(endUnused, LIFE_MILLISECONDS)
      return ++number
    },
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
