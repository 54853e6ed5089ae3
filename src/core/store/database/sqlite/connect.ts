import { Database, type DatabaseOptions, SQLiteError } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { FileFaultError, unavailable } from '../../../basics/errors.ts'
import { NewDatabaseError, OutdatedError, SCHEMA } from '../../schema.ts'
import { versionOf } from './schema.ts'
import { refuseDeletedWal, refuseOrphanedWal, sizeOf } from './wal-checks.ts'

/** How many milliseconds a write waits for another process that is writing. */
export const WRITER_WAIT = 10_000

/** Readers should never wait in WAL mode. If one does, it must fail soon, because it blocks all requests. */
const READER_WAIT = 1000

/** 16 MB of pages. */
const CHECKPOINT_PAGES = 4000

/** Opens the only connection that writes. With `create`, a missing file and its folder are created. */
export async function connectWriter(path: string, create: boolean): Promise<Database> {
  refuseOrphanedWal(path)
  if (create) makeFile(path)
  else if (sizeOf(path) === 0)
    throw new NewDatabaseError(`There is no database ${path} yet: ${HOW_TO_CREATE}`)
  const database = connectFile(path, { create: true, readwrite: true }, WRITER_WAIT)
  try {
    const version = versionOf(database)
    // Not switched to WAL: a migration may be about to replace the file.
    if (version > 0 && version < SCHEMA) throw new OutdatedError(path, version)
  } catch (error) {
    // To close the file would checkpoint its WAL. A file of another program is left as it is.
    if (error instanceof OutdatedError || sizeOf(`${path}-wal`) === 0) database.close()
    throw error
  }
  try {
    checkLength(database, path)
    // With WAL and synchronous = full, readers never wait for the writer, and commits survive a power failure.
    await runWhenFree(database, 'pragma journal_mode = wal')
    database.run('pragma synchronous = full')
    // Removed data leaves no bytes in free pages.
    database.run('pragma secure_delete = on')
    // Fewer checkpoints: a page that is written several times is copied to the database only once.
    database.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const HOW_TO_CREATE =
  'check DATABASE_URL, or create it with "serve" (the demo database with "serve --demo"), "import", "mirror", "copy" or "restore".'

/** Throws if the last page is truncated, which SQLite does not detect. With a WAL, the file need not be complete. */
function checkLength(database: Database, path: string): void {
  if (sizeOf(`${path}-wal`) > 0) return
  const page = database.query<{ page_size: number }, []>('pragma page_size').get()?.page_size ?? 1
  if (sizeOf(path) % page !== 0) throw damaged(path)
}

/** How long the thread is free between attempts to get the lock. */
const PAUSE_FOR_LOCK_MILLISECONDS = 5

/** Waits for the lock without blocking the thread. SQLite ignores busy_timeout for `journal_mode`. */
export async function runWhenFree(file: Database, statement: string, wait = WRITER_WAIT): Promise<void> {
  for (const end = performance.now() + wait; ; await Bun.sleep(PAUSE_FOR_LOCK_MILLISECONDS)) {
    try {
      file.run(statement)
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
    }
  }
}

/** SQLite maps at most 2 GiB. The rest is read through a page cache, which holds the inner pages of large tables. */
const MAPPED_BYTES = 2 ** 31
const CACHE_KIB = 16 * 1024

export function connectReader(path: string): Database {
  const database = connectFile(path, { readonly: true }, READER_WAIT)
  database.run(`pragma mmap_size = ${MAPPED_BYTES}`)
  database.run(`pragma cache_size = -${CACHE_KIB}`)
  return database
}

/** SQLite's codes for errors of the file or the machine, not of this program. */
const ENVIRONMENT_ERRORS =
  /^SQLITE_(AUTH|BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOLFS|NOTADB|PERM|PROTOCOL|READONLY)/

/** Runs `work`. If it throws or rejects with an error of the file or the machine, the error becomes `unavailable`. */
export function translateErrors<T>(path: string, work: () => T): T {
  try {
    const result = work()
    return result instanceof Promise ? (result.catch((error) => throwTranslated(path, error)) as T) : result
  } catch (error) {
    return throwTranslated(path, error)
  }
}

export const isEnvironmentError = (error: unknown): error is SQLiteError =>
  error instanceof SQLiteError && ENVIRONMENT_ERRORS.test(error.code ?? '')

export const isBusy = (error: unknown): boolean =>
  isEnvironmentError(error) && error.code?.startsWith('SQLITE_BUSY') === true

/** This program never violates a constraint: such an error is damage that SQLite missed. */
const isHiddenDamage = (error: unknown) =>
  error instanceof SQLiteError && error.code?.startsWith('SQLITE_CONSTRAINT') === true

/** Rethrows an error. Errors of the file or the machine become `unavailable`. */
export function throwTranslated(path: string, error: unknown): never {
  if (isHiddenDamage(error)) throw unavailable(damageSentence(path), { cause: error })
  if (!isEnvironmentError(error)) throw error
  if (/NOTADB|CORRUPT/.test(error.code ?? '')) throw damaged(path, error)
  throw unavailable(explainSqliteError(path, error), { cause: error })
}

function connectFile(path: string, mode: DatabaseOptions, wait: number): Database {
  refuseOrphanedWal(path)
  refuseDeletedWal(path)
  const database = new Database(path, { ...mode, strict: true })
  database.run(`pragma busy_timeout = ${wait}`)
  return database
}

/** Only the owner may read the file: it holds unpublished data. SQLite gives the WAL the same permissions. */
function makeFile(path: string): void {
  const folder = dirname(path)
  createOrFail(`The folder ${folder}`, () => makeFolder(folder))
  if (!existsSync(path)) createOrFail(path, () => closeSync(openSync(path, 'a', 0o600)))
}

/** No other user may read the folder, under any umask. */
export const makeFolder = (folder: string) => mkdirSync(folder, { recursive: true, mode: 0o700 })

export function createOrFail(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw unavailable(`${what} cannot be created: ${(error as Error).message}`)
  }
}

const damageSentence = (path: string) =>
  `${path} is damaged or not a database: restore it from a backup, or name another file in DATABASE_URL.`

const damaged = (path: string, cause?: unknown) =>
  new FileFaultError('damaged', damageSentence(path), { cause })

/** Runs `work`, which opens a migrated file. A missing table or column counts as damage. */
export async function openChecked<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await translateErrors(path, work)
  } catch (error) {
    throw error instanceof SQLiteError && error.code === 'SQLITE_ERROR' ? damaged(path, error) : error
  }
}

function explainSqliteError(path: string, error: SQLiteError): string {
  const code = error.code ?? ''
  // This process had the old file open while `restore` replaced it.
  if (/DBMOVED/.test(code)) return `${path} was moved or replaced: restart the process.`
  if (/CANTOPEN|PERM|READONLY|AUTH/.test(code)) {
    return `${path} cannot be opened for writing: check that the file and its folder may be written by this user.`
  }
  if (/FULL/.test(code)) return `There is no space left for ${path}.`
  if (/BUSY|LOCKED/.test(code)) return `${path} is locked by another program: stop it, or try again later.`
  return `${path} cannot be read or written: ${error.message}. Check the disk, and limits on the length of files.`
}
