import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineName } from './engines.ts'

/** A database of an earlier program, and what that program answered at the time `now`. */
export type OldDatabase = {
  /** Creates the database. */
  sql: string
  now: number
  /** Status and body by path, for the key of `makeKey(store, 1)`. */
  answers: Record<string, string>
  /** What `export` printed. */
  exported: string
}

/** The schemas of version 0.2.1, and of the last development version before the schema 22. */
export const OLD_SCHEMAS = { sqlite: [14, 16], postgres: [9, 11] } as const

export function readOldDatabase(engine: EngineName, schema: number): OldDatabase {
  const file = join(import.meta.dir, `../../core/store/fixtures/${engine}-${schema}.json.zst`)
  return JSON.parse(Bun.zstdDecompressSync(readFileSync(file)).toString())
}
