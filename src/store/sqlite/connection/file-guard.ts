import { Database } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { FileFaultError } from '../../../domain/errors.ts'

/** SQLite keeps the WAL beside the target of a symbolic link. */
const walOf = (path: string) => `${existsSync(path) ? realpathSync(path) : path}-wal`

/** Wait for a process that starts, ends or restores a backup. */
const WAIT_MILLISECONDS = 1000
const RETRY_MILLISECONDS = 5

/**
 * Throws if another connection has the database open, but there is no WAL: it was deleted, and that connection keeps its changes
 * in the deleted file. A new WAL would be lost when that connection is closed.
 */
export function refuseDeletedWal(path: string): void {
  const end = performance.now() + WAIT_MILLISECONDS
  while (isWalMissing(path) && isInUse(path)) {
    if (performance.now() > end) throw deletedWal(path)
    Bun.sleepSync(RETRY_MILLISECONDS)
  }
}

const isWalMissing = (path: string) =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0 && !existsSync(walOf(path))

/** Every connection holds a shared lock until it is closed. Closing this one removes the empty WAL that it creates. */
function isInUse(path: string): boolean {
  let database: Database | undefined
  try {
    database = new Database(path, { readwrite: true })
    database.run('pragma locking_mode = exclusive')
    database.query('select 1 from sqlite_schema limit 1').get()
    return false
  } catch (error) {
    // Another error is reported when the database is opened.
    return (error as { code?: string }).code === 'SQLITE_BUSY'
  } finally {
    database?.close()
  }
}

const deletedWal = (path: string) =>
  new FileFaultError(
    'replaced',
    `Another process has ${path} open, but ${walOf(path)} is missing. If it was deleted, stop that process, which saves its changes, and start it again. Otherwise try again later.`,
  )

/** Returns a function that throws if the database or its WAL is no longer the file that the writer has open. */
export function createFileGuard(path: string, writer: Database): () => void {
  const wal = walOf(path)
  const [opened, openedWal] = [fileIdentity(path), fileIdentity(wal)]
  return () => {
    if (fileIdentity(path) !== opened) throw replaced(`${path} was moved or replaced`)
    if (fileIdentity(wal) === openedWal) return
    saveChanges(wal, writer)
    throw replaced(
      `${wal} was deleted or replaced while this process has it open, so that writes would be lost`,
    )
  }
}

/** Device and inode: the same for all names of a file; `undefined` if there is no file. */
export function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}

const replaced = (sentence: string) => new FileFaultError('replaced', `${sentence}: restart the process.`)

/** Copies the changes in the deleted WAL to the database, unless another program has begun a new WAL. */
function saveChanges(wal: string, writer: Database): void {
  if (existsSync(wal) || writer.inTransaction) return
  try {
    writer.run('pragma wal_checkpoint(passive)')
  } catch {
    // The next check tries again.
  }
}
