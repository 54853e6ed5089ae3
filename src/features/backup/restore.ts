import { Database } from 'bun:sqlite'
import { existsSync, linkSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { unavailable } from '../../core/basics/errors.ts'
import { createPartial } from '../../core/basics/write-atomically.ts'
import {
  connectReader,
  makeFolder,
  throwTranslated,
  translateErrors,
} from '../../core/store/database/sqlite/connect.ts'
import { isDamage } from '../../core/store/database/sqlite/find-damage.ts'
import { lockFile } from '../../core/store/database/sqlite/migrate.ts'
import { identifySchema } from '../../core/store/database/sqlite/schema.ts'
import { orphanedWalProblem, sizeOf } from '../../core/store/database/sqlite/wal-checks.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import { checkBackup, checkContents, readBackup, renameEventLog, writeMigrated } from './backup.ts'

/**
 * Replaces the database with a backup. The old database is kept under another name, which is returned. If the
 * process is killed, either the old or the new database is in place. A database that is not empty needs `force`.
 */
export async function restore(file: string, name: string, { force, now }: { force: boolean; now: number }) {
  await checkBackup(file)
  makeFolder(dirname(name))
  // The target of a symbolic link is replaced, not the link, because SQLite keeps the WAL beside the target.
  const path = existsSync(name) ? realpathSync(name) : name
  // If only the WAL is left, the database is not opened, because SQLite would delete the WAL. `keep` moves it.
  const isLost = !existsSync(path) || orphanedWalProblem(path) !== undefined
  const old = isLost ? undefined : await lockOld(path)
  try {
    if (!force && old !== undefined && !old.isEmpty) {
      throw unavailable(
        `${path} ${old.database ? 'is not empty' : 'is damaged'}: with --force it is kept under another name, and replaced.`,
      )
    }
    const partial = `${path}.restoring`
    const { confirm, commit, cancel } = createPartial(partial, path)
    try {
      await readBackup(file, () => writeMigrated(file, partial))
      confirm()
      // If a backup is restored twice, the copies get different events, so each event log needs its own name.
      renameEventLog(partial)
      const result = { ...checkContents(partial), kept: keep(path, now) }
      commit()
      return result
    } catch (error) {
      cancel()
      throw error
    }
  } finally {
    old?.database?.close()
  }
}

/**
 * Removes the files that a restore creates beside the database. They may have people who were removed since the backup.
 */
export function removeLeftovers(name: string): void {
  const path = existsSync(name) ? realpathSync(name) : name
  const copy = copyFor(name)
  const files = [`${path}.restoring`, copy, `${copy}.part`, `${copy}.migrating`, `${copy}.before-${SCHEMA}`]
  for (const file of files)
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true })
}

/** The copy of a backup to which removals are applied before it is restored. */
export const copyFor = (name: string) => `${name}.without-removed`

/** Locks the old database until it is closed. A damaged one cannot be locked, but no process can open it either. */
async function lockOld(path: string): Promise<{ database?: Database; isEmpty: boolean }> {
  const database = translateErrors(path, () => new Database(path, { readwrite: true, strict: true }))
  try {
    if (identifySchema(database).owner === 'another') {
      throw unavailable(`${path} is a database of another program.`)
    }
    await lockFile(path, database)
    return { database, isEmpty: isEmpty(database) }
  } catch (error) {
    database.close()
    if (isDamage(error)) return { isEmpty: false }
    return throwTranslated(path, error)
  }
}

/** Settings do not count, because the first start writes them. The tables may have an older schema. */
function isEmpty(database: Database): boolean {
  const hasRows = (table: string) => database.query(`select 1 from ${table} limit 1`).get() !== null
  return !['passports', 'keys', 'removals'].some((table) => hasTable(database, table) && hasRows(table))
}

const hasTable = (database: Database, name: string) =>
  database.query('select 1 from sqlite_schema where name = ?').get(name) !== null

/** Keeps the old database under another name. Also moves its WAL, which SQLite would apply to the new file. */
function keep(path: string, now: number): string | undefined {
  const kept = `${path}.before-${new Date(now).toISOString().replace(/[-:]/g, '')}`
  const hasContents = sizeOf(path) > 0
  if (hasContents) linkSync(path, kept)
  const logs = ['-wal', '-journal'].filter((log) => existsSync(path + log))
  for (const log of logs) renameSync(path + log, kept + log)
  rmSync(`${path}-shm`, { force: true })
  return hasContents ? kept : logs.map((log) => kept + log)[0]
}

/** The removals of a database file of this or an older version. */
export function readRemovals(path: string): string[] {
  if (sizeOf(path) === 0) return []
  return translateErrors(path, () => {
    using database = connectReader(path)
    const columns = { removals: 'passport_id', barred_wallets: 'digest' }
    const known = Object.entries(columns).filter(([table]) => hasTable(database, table))
    const lists = known.map(([table, column]) => `select cast(${column} as text) as text from ${table}`)
    const rows = lists.flatMap((sql) => database.query<{ text: string }, []>(sql).all())
    return rows.map(({ text }) => text)
  })
}
