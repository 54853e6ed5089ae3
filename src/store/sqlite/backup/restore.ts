import { Database } from 'bun:sqlite'
import { existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../../domain/errors.ts'
import { isEnvironmentError, throwTranslated, withTranslatedErrors } from '../connect.ts'
import { identify, migrate } from '../migrate/migrate.ts'
import { removeDocumentFiles } from '../migrate/migration-9.ts'
import { writeAtomically } from './atomic-file.ts'
import { check, checkBackup, isDamage, writeSnapshot } from './backup.ts'

/**
 * Puts what `file` holds in the place of the database. The old one keeps a name, which is given back. At every moment there is one
 * of both, whole, under the name of the database: whoever is killed on the way has lost nothing. Only with `force` it may take
 * the place of one that is not empty.
 */
export function restore(file: string, name: string, { force, now }: { force: boolean; now: number }) {
  checkBackup(file)
  mkdirSync(dirname(name), { recursive: true })
  // A link leads to where the database is to lie: it stays, and SQLite keeps its log there.
  const path = existsSync(name) ? realpathSync(name) : name
  const old = existsSync(path) ? lockExclusively(path) : undefined
  try {
    if (!force && old !== undefined && !old.isEmpty) {
      throw new ServiceError(
        'unavailable',
        `${path} ${old.database ? 'is not empty' : 'is damaged'}: with --force it is kept under another name, and replaced.`,
      )
    }
    const partial = `${path}.restoring`
    const restored = writeAtomically(partial, path, (confirm) => {
      writeSnapshot(file, partial)
      confirm()
      bringUpToDate(partial)
      return { ...check(partial), kept: keep(path, now) }
    })
    removeDocumentFiles(path)
    return restored
  } finally {
    old?.database?.close()
  }
}

type Locked = { database?: Database; isEmpty: boolean }

/** How long a command that is about to end is waited for. */
const WAIT_MILLISECONDS = 1000

/**
 * Keeps everybody else out of the database until it is closed; its log of writes is in the file by then, and gone. Throws where
 * anybody has it open. One that is damaged cannot be locked: nobody can open it, either.
 */
function lockExclusively(path: string): Locked {
  const database = withTranslatedErrors(path, () => new Database(path, { readwrite: true, strict: true }))
  try {
    database.run(`pragma busy_timeout = ${WAIT_MILLISECONDS}`)
    if (identify(database).owner === 'another') {
      throw new ServiceError('unavailable', `${path} is a database of another program.`)
    }
    database.run('pragma journal_mode = delete')
    database.run('begin exclusive')
    // Somebody may have come in between.
    if (modeOf(database) !== 'delete') throw inUse(path)
    return { database, isEmpty: isEmpty(database) }
  } catch (error) {
    database.close()
    if (isDamage(error)) return { isEmpty: false }
    if (isEnvironmentError(error) && error.code?.startsWith('SQLITE_BUSY')) throw inUse(path)
    return throwTranslated(path, error)
  }
}

const inUse = (path: string) =>
  new ServiceError(
    'unavailable',
    `${path} is in use: stop the service and every other process that uses it first.`,
  )

const modeOf = (database: Database) =>
  database.query<{ journal_mode: string }, []>('pragma journal_mode').get()?.journal_mode

/** Settings come with the first start; the tables may be those of an older passportd. */
function isEmpty(database: Database): boolean {
  const has = (sql: string) => database.query(sql).get() !== null
  return !['passports', 'keys', 'removals'].some(
    (table) =>
      has(`select 1 from sqlite_schema where name = '${table}'`) && has(`select 1 from ${table} limit 1`),
  )
}

function bringUpToDate(path: string): void {
  const database = new Database(path, { readwrite: true, strict: true })
  try {
    database.run('pragma secure_delete = on')
    migrate(database)
  } catch (error) {
    throwTranslated(path, error)
  } finally {
    database.close()
  }
}

/**
 * Gives the database a second name, if there is one. Logs of writes are left by one that is damaged, or was taken away without them:
 * they would be taken for the new one's.
 */
function keep(path: string, now: number): string | undefined {
  const kept = `${path}.before-${new Date(now).toISOString().replace(/[-:]/g, '')}`
  const hasContents = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (hasContents) linkSync(path, kept)
  const logs = ['-wal', '-journal'].filter((log) => existsSync(path + log))
  for (const log of logs) renameSync(path + log, kept + log)
  rmSync(`${path}-shm`, { force: true })
  return hasContents ? kept : logs.map((log) => kept + log)[0]
}
