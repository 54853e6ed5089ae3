import { Database } from 'bun:sqlite'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ServiceError, unavailable } from '../../core/basics/errors.ts'
import { fileIdentity, writeAtomically } from '../../core/basics/write-atomically.ts'
import { connectReader, throwTranslated, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import { isDamage, listDamage } from '../../core/store/database/sqlite/find-damage.ts'
import { convertFile } from '../../core/store/database/sqlite/migrate.ts'
import { identifySchema, versionOf } from '../../core/store/database/sqlite/schema.ts'
import { sizeOf } from '../../core/store/database/sqlite/wal-checks.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import { COUNT_PASSPORTS } from '../../core/store/sql/passports.ts'

/** The result of a complete check of a database. */
export type Contents = { passports: number; bytes: number }

/** Writes a snapshot of the database to `file`. The file has the name `partial` until it was checked. */
export function backUp(path: string, file: string, partial = `${file}.part`): Contents {
  refuseLogs(file)
  return writeAtomically(partial, file, (confirm) => {
    writeSnapshot(path, partial)
    confirm()
    renameEventLog(partial)
    const contents = checkContents(partial)
    refuseLogs(file)
    return contents
  })
}

/** Throws if a WAL is left from an older file of the same name, because SQLite would apply it to the new file. */
function refuseLogs(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    if (!existsSync(log)) continue
    throw unavailable(
      `Found ${log}: ${file} is in use, or the last process was killed. Choose another file, or move both.`,
    )
  }
}

/** Writes a snapshot to an empty file in one read transaction. Writers do not wait, but the WAL is not truncated. */
export function writeSnapshot(from: string, to: string): void {
  using database = openOurs(from)
  try {
    database.query('vacuum into ?').run(to)
  } catch (error) {
    // Only the source can be damaged, because the target is new. All other errors concern the target.
    throwTranslated(isDamage(error) ? from : to, error)
  }
}

/** Writes a copy with the schema of this version to an empty file. */
export async function writeMigrated(from: string, to: string): Promise<void> {
  if (findSchema(from) === SCHEMA) writeSnapshot(from, to)
  else await convertFile(from, to, () => undefined)
}

function findSchema(path: string): number {
  using database = openOurs(path)
  return versionOf(database)
}

/** Gives the event log of a copy another name, because later events will have the same numbers as in the original. */
export function renameEventLog(path: string): void {
  translateErrors(path, () => {
    using database = new Database(path, { readwrite: true, strict: true })
    database.run('update event_log set name = lower(hex(randomblob(3)))')
  })
}

/** Throws `unavailable` unless the file is a database of this or an older passportd. */
function openOurs(path: string): Database {
  return translateErrors(path, () => {
    const database = connectReader(path)
    try {
      versionOf(database)
      if (identifySchema(database).owner === 'passportd') return database
      throw unavailable(`${path} is empty.`)
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Reads the first page only. */
export const checkBackup = (file: string): Promise<void> => readBackup(file, () => openOurs(file).close())

/** Reads a file that someone named as a backup. */
export async function readBackup<T>(file: string, read: () => T): Promise<Awaited<T>> {
  try {
    return await read()
  } catch (error) {
    if (!isDamage((error as ServiceError).cause)) throw error
    throw unavailable(`${file} is damaged, or not a backup.`, { cause: error })
  }
}

/** Reads every page and compares indexes with their tables. Throws `unavailable` if the file is damaged. */
export function checkContents(path: string): Contents {
  return translateErrors(path, () => {
    using database = connectReader(path)
    const [problem] = listDamage(database, 'integrity_check')
    if (problem !== undefined) throw unavailable(`${path} is damaged: ${problem}.`)
    const passports = database.query<{ count: number }, []>(COUNT_PASSPORTS).get()?.count ?? 0
    return { passports, bytes: sizeOf(path) }
  })
}

/** Whether `file` is the database itself, or one of the files that SQLite or a restore creates beside it. */
export function belongsToDatabase(path: string, file: string): boolean {
  if (fileIdentity(path) !== undefined && fileIdentity(path) === fileIdentity(file)) return true
  const [own, other] = [resolveFolder(path), resolveFolder(file)]
  return other.startsWith(own) && OWN_SUFFIXES.test(other.slice(own.length))
}

const OWN_SUFFIXES =
  /^(|\.migrating|\.restoring|\.without-removed|\.without-removed\.part)(-(wal|shm|journal))?$/

/** Resolves symbolic links in the path, except the last part. The file need not exist. */
function resolveFolder(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}
