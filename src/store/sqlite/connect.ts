import { Database, type DatabaseOptions, SQLiteError } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'
import { checkOwner } from './migrate/migrate.ts'

/** How long a write waits for the one before it, in another process, to end; in milliseconds. */
export const WRITER_WAIT = 10_000

/** Readers wait for nobody in this mode: one that must is in trouble, and all requests with it. */
const READER_WAIT = 1000

/** 16 MB. */
const CHECKPOINT_PAGES = 4000

/** The one connection that writes. It may make the file, and the folder it lies in, where they are missing. */
export function connectWriter(path: string, create: boolean): Database {
  if (create) makeFile(path)
  else if (sizeOf(path) === 0) {
    throw new ServiceError(
      'unavailable',
      `There is no database ${path} yet: "import", "mirror" or "serve" creates it.`,
    )
  }
  const database = connect(path, { create: true, readwrite: true }, WRITER_WAIT)
  try {
    checkOwner(database)
  } catch (error) {
    // To close it would write its log into it, and it may be another program's.
    if (sizeOf(`${path}-wal`) === 0) database.close()
    throw error
  }
  return closeOnError(database, () => {
    checkLength(database, path)
    // Readers never wait for the writer; what is committed survives a power cut.
    switchToWal(database)
    database.run('pragma synchronous = full')
    database.run('pragma foreign_keys = on')
    // A removed person leaves no bytes in free pages.
    database.run('pragma secure_delete = on')
    // A page that is written several times in a row is copied to the database once.
    database.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    return database
  })
}

/** Whoever fails and tries again does not hold the file once for each try. */
export function closeOnError<T>(database: Database, work: () => T): T {
  try {
    return work()
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite does not notice that the end of the last page is missing. A log of writes may hold what is not in the file yet. */
function checkLength(database: Database, path: string): void {
  if (sizeOf(`${path}-wal`) > 0) return
  const page = database.query<{ page_size: number }, []>('pragma page_size').get()?.page_size ?? 1
  if (sizeOf(path) % page !== 0) throw damaged(path)
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** A new file is switched once. SQLite does not wait for another process that is at it: we do. */
function switchToWal(database: Database): void {
  for (const end = performance.now() + WRITER_WAIT; ; ) {
    try {
      database.run('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isEnvironmentError(error) || !error.code?.startsWith('SQLITE_BUSY') || performance.now() > end)
        throw error
      Bun.sleepSync(5)
    }
  }
}

/** SQLite maps at most 2 GiB: the rest is read through its cache, which holds the inner pages of large tables. */
const MAPPED_BYTES = 2 ** 31
const CACHE_KIB = 16 * 1024

export function connectReader(path: string): Database {
  const database = connect(path, { readonly: true }, READER_WAIT)
  database.run(`pragma mmap_size = ${MAPPED_BYTES}`)
  database.run(`pragma cache_size = -${CACHE_KIB}`)
  return database
}

/** SQLite's failures that are the file's or the machine's, not ours. */
const ENVIRONMENT_ERRORS =
  /^SQLITE_(AUTH|BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOLFS|NOTADB|PERM|PROTOCOL|READONLY)/

/** Runs `work`; a failure of the file or the machine comes out as `unavailable`. */
export function withTranslatedErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    return throwTranslated(path, error)
  }
}

/** Whether the file or the machine failed, not we. */
export const isEnvironmentError = (error: unknown): error is SQLiteError =>
  error instanceof SQLiteError && ENVIRONMENT_ERRORS.test(error.code ?? '')

/** We write no JSON that cannot be read, and nothing that a key forbids: such a file is damaged where SQLite does not notice. */
const contradictsUs = (error: unknown) =>
  error instanceof SyntaxError ||
  (error instanceof SQLiteError && error.code?.startsWith('SQLITE_CONSTRAINT') === true)

/** Throws it again; a failure of the file or the machine as `unavailable`. */
export function throwTranslated(path: string, error: unknown): never {
  if (contradictsUs(error)) throw damaged(path, error)
  if (!isEnvironmentError(error)) throw error
  throw new ServiceError('unavailable', explain(path, error), { cause: error })
}

export type Methods = Record<string, (...args: never[]) => unknown>

type Guard = { before?: () => void; after?: () => void }

/** The same functions, each with its failures translated by `withTranslatedErrors`. */
export function translatingErrors<T extends Methods>(path: string, methods: T, { before, after }: Guard): T {
  const guard = ([name, method]: [string, (...args: never[]) => unknown]) => [
    name,
    (...args: never[]) => {
      try {
        return withTranslatedErrors(path, () => {
          before?.()
          return method(...args)
        })
      } finally {
        after?.()
      }
    },
  ]
  return Object.fromEntries(Object.entries(methods).map(guard)) as T
}

function connect(path: string, mode: DatabaseOptions, wait: number): Database {
  const database = new Database(path, { ...mode, strict: true })
  database.run(`pragma busy_timeout = ${wait}`)
  return database
}

/** Only its owner may read it: it holds what people may not have published. SQLite's helper files follow it. */
function makeFile(path: string): void {
  const folder = dirname(path)
  make(`The folder ${folder}`, () => mkdirSync(folder, { recursive: true }))
  if (!existsSync(path)) make(path, () => closeSync(openSync(path, 'a', 0o600)))
}

function make(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new ServiceError('unavailable', `${what} cannot be created: ${(error as Error).message}`)
  }
}

const damaged = (path: string, cause?: unknown) =>
  new ServiceError(
    'unavailable',
    `${path} is damaged or not a database: restore it from a backup, or name another file in DATABASE_URL.`,
    { cause },
  )

/** Runs what opens a file that is up to date: where that lacks a table or a column, it is damaged. */
export function openChecked<T>(path: string, work: () => T): T {
  try {
    return withTranslatedErrors(path, work)
  } catch (error) {
    throw error instanceof SQLiteError && error.code === 'SQLITE_ERROR' ? damaged(path, error) : error
  }
}

function explain(path: string, error: SQLiteError): string {
  const code = error.code ?? ''
  if (/NOTADB|CORRUPT/.test(code)) {
    return damaged(path).message
  }
  // Whoever waits while `restore` ends has the old file open.
  if (/DBMOVED/.test(code)) return `${path} was moved or replaced: restart the process.`
  if (/CANTOPEN|PERM|READONLY|AUTH/.test(code)) {
    return `${path} cannot be opened for writing: check that the file and its folder may be written by this user.`
  }
  if (/FULL/.test(code)) return `There is no space left for ${path}.`
  if (/BUSY|LOCKED/.test(code)) return `${path} is locked by another program: stop it, or try again later.`
  return `${path} cannot be read or written: ${error.message}. Check the disk, and limits on the length of files.`
}
