import { Database } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { FileFaultError, unavailable } from '../../../basics/errors.ts'
import { size } from '../../../basics/text/counts-and-sizes.ts'

/** 0 if there is no file. */
export const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** SQLite keeps the WAL beside the target of a symbolic link. */
export const walOf = (path: string) => `${existsSync(path) ? realpathSync(path) : path}-wal`

/** How long to wait for a process that starts, ends or restores a backup. */
const OTHER_WAIT = 1000
const RETRY_WAIT = 5

/**
 * Throws if the WAL was deleted while another connection has the database open, and writes to the deleted file. If this
 * process began a new WAL, it would be lost when the other connection is closed.
 */
export function refuseDeletedWal(path: string): void {
  const end = performance.now() + OTHER_WAIT
  while (sizeOf(path) > 0 && !existsSync(walOf(path)) && isInUse(path)) {
    if (performance.now() > end)
      throw new FileFaultError(
        'replaced',
        `Another process has ${path} open, but ${walOf(path)} is missing. If it was deleted, stop that process, which saves its changes, and start it again. Otherwise try again later.`,
      )
    Bun.sleepSync(RETRY_WAIT)
  }
}

/** An exclusive lock fails if another connection is open. Closing this connection removes its empty WAL. */
function isInUse(path: string): boolean {
  try {
    using database = new Database(path, { readwrite: true })
    database.run('pragma locking_mode = exclusive')
    database.query('select 1 from sqlite_schema limit 1').get()
    return false
  } catch (error) {
    // Other errors are reported when the database is opened.
    return (error as { code?: string }).code === 'SQLITE_BUSY'
  }
}

/** Throws if there is a WAL without its database file: SQLite would delete the WAL, even for a reader. */
export function refuseOrphanedWal(path: string): void {
  const problem = orphanedWalProblem(path)
  if (problem !== undefined) throw unavailable(problem)
}

/** Describes the problem if there is a WAL, but the database file is missing or empty. */
export function orphanedWalProblem(path: string): string | undefined {
  const wal = `${path}-wal`
  // The WAL is read first, because a process that creates the database fills the file before its WAL.
  const bytes = existsSync(wal) ? sizeOf(wal) : 0
  if (bytes === 0 || sizeOf(path) > 0) return undefined
  return `${path} is empty or missing, but ${wal} holds ${size(bytes)} of changes, which opening it would delete: put the file back, restore a backup ("passportd restore FILE" keeps the WAL), or move the WAL away.`
}
