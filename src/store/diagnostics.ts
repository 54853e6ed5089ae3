import type { ApiKey } from '../domain/api-key.ts'
import type { DatabaseAddress } from '../domain/database-address.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import { diagnosePostgres } from './postgres/diagnostics.ts'
import type { PassportCounts } from './rows/counts.ts'
import type { Oversized } from './rows/oversized.ts'
import { diagnoseSqlite } from './sqlite/diagnostics.ts'
import type { AppliedRules } from './store.ts'

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

export type DatabaseContents = PassportCounts & {
  /** Passports that are stale after a short wait. */
  stillStale: number
  keys: ApiKey[]
  /** Largest first. */
  oversized: Oversized[]
  plan: RetirementPlan | undefined
  /** The active rule set; `undefined` for the built-in one. */
  rules: AppliedRules | undefined
  /** The note of a copy into this database. */
  copying: string | undefined
}

/** `full` also compares indexes with their tables. Throws `unavailable` if the database cannot be read. */
export async function diagnose(address: DatabaseAddress, full: boolean): Promise<Diagnostics> {
  return address.engine === 'sqlite' ? diagnoseSqlite(address.path, full) : diagnosePostgres(address.url)
}
