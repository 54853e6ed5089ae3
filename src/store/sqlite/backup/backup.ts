import type { Database } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ServiceError } from '../../../domain/errors.ts'
import { connectReader, isEnvironmentError, throwTranslated, withTranslatedErrors } from '../connect.ts'
import { checkOwner, identify } from '../migrate/migrate.ts'
import { fileIdentity, writeAtomically } from './atomic-file.ts'

/** What a database was found to hold when all of it was looked at. */
export type Contents = { passports: number; credentials: number; bytes: number }

/** Writes what the database holds at this moment to `file`, which has its name once it is whole and checked. */
export function backUp(path: string, file: string): Contents {
  refuseLogs(file)
  const partial = `${file}.part`
  return writeAtomically(partial, file, (confirm) => {
    writeSnapshot(path, partial)
    confirm()
    const contents = check(partial)
    refuseLogs(file)
    return contents
  })
}

/** What was written to an older file of that name would be taken for a part of the new one. */
function refuseLogs(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    if (!existsSync(log)) continue
    throw new ServiceError(
      'unavailable',
      `Found ${log}: ${file} is in use, or the last process was killed. Choose another file, or move both.`,
    )
  }
}

/**
 * Writes all that `from` holds at this moment, and nothing older or newer, to an empty file. SQLite reads it in one transaction:
 * nobody waits for it, and only the log of writes cannot be emptied meanwhile.
 */
export function writeSnapshot(from: string, to: string): void {
  const database = openOurs(from)
  try {
    database.query('vacuum into ?').run(to)
  } catch (error) {
    // Both files are at work here: only damage is of the one that is read.
    throwTranslated(isDamage(error) ? from : to, error)
  } finally {
    database.close()
  }
}

/** Throws `unavailable` unless it is a database of passportd, this one or an older one. */
function openOurs(path: string): Database {
  return withTranslatedErrors(path, () => {
    const database = connectReader(path)
    try {
      checkOwner(database)
      if (identify(database).owner === 'passportd') return database
      throw new ServiceError('unavailable', `${path} is empty.`)
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Looks at the first page alone. */
export function checkBackup(file: string): void {
  try {
    openOurs(file).close()
  } catch (error) {
    if (!isDamage((error as ServiceError).cause)) throw error
    throw new ServiceError('unavailable', `${file} is damaged, or not a backup.`, { cause: error })
  }
}

export const isDamage = (error: unknown): boolean =>
  isEnvironmentError(error) && /NOTADB|CORRUPT/.test(error.code ?? '')

/** Reads every page, and compares indexes with their tables. Throws `unavailable` where anything is wrong. */
export function check(path: string): Contents {
  return withTranslatedErrors(path, () => {
    const database = connectReader(path)
    try {
      const [problem] = listDamage(database, 'integrity_check')
      if (problem !== undefined) throw new ServiceError('unavailable', `${path} is damaged: ${problem}.`)
      const count = (sql: string) => database.query<{ count: number }, []>(sql).get()?.count ?? 0
      return {
        passports: count('select count(*) as count from passports'),
        credentials: count(
          identify(database).version < LISTS_OF_CREDENTIALS
            ? 'select count(*) as count from credentials'
            : `select coalesce(sum(json_array_length(body, '$.passport_credentials')), 0) as count from v1_credentials`,
        ),
        bytes: statSync(path).size,
      }
    } finally {
      database.close()
    }
  })
}

/** The schema from which on the credentials of a passport are one row. */
const LISTS_OF_CREDENTIALS = 9

/** What is wrong with the file, a sentence each; nothing where it is whole. */
export function listDamage(database: Database, how: 'quick_check' | 'integrity_check'): string[] {
  return database
    .query<Record<string, string>, []>(`pragma ${how}(5)`)
    .all()
    .map((row) => row[how] as string)
    .filter((text) => text !== 'ok')
}

/** Whether `file` is the database, one of the files that are kept beside it, or what a restore makes there. */
export function belongsToDatabase(path: string, file: string): boolean {
  if (fileIdentity(path) !== undefined && fileIdentity(path) === fileIdentity(file)) return true
  const [own, other] = [whole(path), whole(file)]
  return other.startsWith(own) && OWN_ENDINGS.test(other.slice(own.length))
}

const OWN_ENDINGS = /^(|-(wal|shm|journal)|\.restoring)$/

function whole(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}
