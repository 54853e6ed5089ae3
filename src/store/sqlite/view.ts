import type { Database } from 'bun:sqlite'

/** For how long reads share one view of the database: what other processes write meanwhile is seen after it. */
const LIFE_MILLISECONDS = 5

/**
 * Lets reads that follow each other closely share one transaction: most of a short read's time is what SQLite spends on
 * beginning and ending one. Nothing may be read from the connection but after `look`.
 */
export function createView(database: Database) {
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

  /** A view that nobody looks at would keep the log of writes from being emptied. */
  function endUnused(): void {
    timer = undefined
    if (endsAt === 0) return
    if (performance.now() < endsAt) timer = setTimeout(endUnused, LIFE_MILLISECONDS)
    else end()
  }

  return {
    /** The number of the view that is open now: what was read in it stays true while the number is the same. */
    look(): number {
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

export type View = ReturnType<typeof createView>
