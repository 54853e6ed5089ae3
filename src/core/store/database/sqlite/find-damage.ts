import type { Database } from 'bun:sqlite'
import { connectReader, isEnvironmentError, throwTranslated } from './connect.ts'

export const isDamage = (error: unknown): boolean =>
  isEnvironmentError(error) && /NOTADB|CORRUPT/.test(error.code ?? '')

const MOST_PROBLEMS = 5

export const listDamage = (database: Database, how: 'quick_check' | 'integrity_check'): string[] =>
  database
    .query<Record<string, string>, []>(`pragma ${how}(${MOST_PROBLEMS})`)
    .all()
    .map((row) => row[how] as string)
    .filter((text) => text !== 'ok')

export function findFileDamage(path: string): string[] {
  using database = connectReader(path)
  // Without memory mapping, an unreadable part of the disk is an error instead of a crash.
  database.run('pragma mmap_size = 0')
  try {
    return listDamage(database, 'quick_check')
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message]
    return throwTranslated(path, error)
  }
}
