import type { DatabaseAddress } from '../config/database-address.ts'
import { diagnosePostgres } from './postgres/diagnostics.ts'
import type { DatabaseContents } from './sql/contents.ts'
import { diagnoseSqlite, findTableDamage } from './sqlite/diagnostics.ts'

/** The state of a database, read without changing it. */
export type Diagnostics = {
  /** 0 if it has no tables of passportd yet. */
  schema: number
  /** The schema of this program. */
  knownSchema: number
  /** Problems of the file; SQLite only. */
  damage?: string[]
  /** Absent if the schemas differ. */
  contents?: DatabaseContents
  /** The time of the database server; PostgreSQL only. */
  clock?: number
}

/** `full` also compares indexes with their tables. Throws `unavailable` if the database cannot be read. */
export async function diagnose(address: DatabaseAddress, full: boolean): Promise<Diagnostics> {
  return address.engine === 'sqlite' ? diagnoseSqlite(address.path, full) : diagnosePostgres(address.url)
}

/** The first problems of the SQLite file, from a check that reads it once; none on PostgreSQL, which has its own tools. */
export const findDamage = (address: DatabaseAddress): string[] =>
  address.engine === 'sqlite' ? findTableDamage(address.path) : []
