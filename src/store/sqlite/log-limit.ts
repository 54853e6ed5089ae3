import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

/** SQLite empties the log of writes by itself at 4 MB, unless somebody reads at that instant. */
const LARGEST_BYTES = 32 * 1024 * 1024

const LOOK_MILLISECONDS = 200
/** How long readers are waited for, and for how long they are let be where that was in vain: a backup reads for minutes. */
const PATIENCE_MILLISECONDS = 1000
const REST_MILLISECONDS = 20_000

/**
 * Keeps the log of writes from growing without end while others read all the time: views follow each other without a gap
 * (`view.ts`), and one of them is always older than the last write. It waits until all of them are younger, and writes
 * the log back.
 */
export function createLogLimit(path: string, writer: Database, wait: number): () => void {
  let lookAt = 0
  return () => {
    const now = performance.now()
    if (now < lookAt) return
    lookAt = now + LOOK_MILLISECONDS
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size < LARGEST_BYTES || writer.inTransaction) return
    writer.run(`pragma busy_timeout = ${PATIENCE_MILLISECONDS}`)
    try {
      const outcome = writer.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()
      if (outcome?.busy === 1) lookAt = performance.now() + REST_MILLISECONDS
    } finally {
      writer.run(`pragma busy_timeout = ${wait}`)
    }
  }
}
