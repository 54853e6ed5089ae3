import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { WRITER_WAIT } from './connect.ts'

/** SQLite checkpoints automatically at 16 MB, unless a read is in progress. */
const LARGEST_BYTES = 32 * 1024 * 1024

const CHECK_MILLISECONDS = 200
/** The wait for readers, and the pause after a failed checkpoint: a backup reads for minutes. */
const READER_WAIT_MILLISECONDS = 1000
const PAUSE_MILLISECONDS = 20_000

/** Bounds the WAL under constant reads: with overlapping read transactions, automatic checkpoints never finish. */
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

/** Checkpoints and truncates the WAL; false if a reader blocked it. */
export function truncateWal(writer: Database): boolean {
  writer.run(`pragma busy_timeout = ${READER_WAIT_MILLISECONDS}`)
  try {
    return writer.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy !== 1
  } finally {
    writer.run(`pragma busy_timeout = ${WRITER_WAIT}`)
  }
}
