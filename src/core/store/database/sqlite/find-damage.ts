import type { Database } from 'bun:sqlite'
import { connectReader, isEnvironmentError, throwTranslated } from './connect.ts'

export const isDamage = (error: unknown): boolean =>
  isEnvironmentError(error) && /NOTADB|CORRUPT/.test(error.code ?? '')

const MOST_PROBLEMS = 5

/** The first problems that SQLite finds in a table, or in the whole database. */
export function listDamage(
  database: Database,
  how: 'quick_check' | 'integrity_check',
  table?: string,
): string[] {
  return database
    .query<Record<string, string>, []>(`pragma ${how}(${table === undefined ? MOST_PROBLEMS : `'${table}'`})`)
    .all()
    .map((row) => row[how] as string)
    .filter((text) => text !== 'ok')
    .slice(0, MOST_PROBLEMS)
}

/** Checks each table in its own read transaction, so that the WAL can be checkpointed. Returns the first problems. */
export function findTableDamage(path: string): string[] {
  using database = connectReader(path)
  // Without memory mapping, an unreadable part of the disk is an error instead of a crash.
  database.run('pragma mmap_size = 0')
  try {
    const tables = database
      .query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`)
      .all()
    for (const { name } of tables) {
      const problems = listDamage(database, 'quick_check', name)
      if (problems.length > 0) return problems
    }
    return []
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message]
    return throwTranslated(path, error)
  }
}
