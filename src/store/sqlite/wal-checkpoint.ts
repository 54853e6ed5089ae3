import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { WRITER_WAIT } from './connect.ts'

/** SQLite checkpoints by itself at 4 MB, unless somebody reads at that instant. */
const LARGEST_BYTES = 32 * 1024 * 1024

const CHECK_MILLISECONDS = 200
/** How long readers are waited for, and the pause after that was in vain: a backup reads for minutes. */
const PATIENCE_MILLISECONDS = 1000
const PAUSE_MILLISECONDS = 20_000

/**
 * Keeps the WAL from growing without bound while others read all the time: short read transactions follow each other without
 * a gap, and one of them is always older than the last write.
 */
export function createWalLimit(path: string, writer: Database): () => void {
  let checkAt = 0
  return () => {
    const now = performance.now()
    if (now < checkAt) return
    checkAt = now + CHECK_MILLISECONDS
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size < LARGEST_BYTES || writer.inTransaction) return
    if (!truncateWal(writer)) checkAt = performance.now() + PAUSE_MILLISECONDS
  }
}

/** Writes the WAL back and empties it; false if a reader was in the way. */
export function truncateWal(writer: Database): boolean {
  writer.run(`pragma busy_timeout = ${PATIENCE_MILLISECONDS}`)
  try {
    return writer.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy !== 1
  } finally {
    writer.run(`pragma busy_timeout = ${WRITER_WAIT}`)
  }
}
