import type { ApiKey } from '../domain/api-key.ts'
import type { DatabaseAddress } from '../domain/database-address.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import { diagnosePostgres } from './postgres/diagnostics.ts'
import type { PassportCounts } from './rows/counts.ts'
import { diagnoseSqlite } from './sqlite/diagnostics.ts'

/** What a database is found to be, without any change to it. */
export type Diagnostics = {
  /** 0 where it has nothing of ours yet. */
  schema: number
  /** What this program knows. */
  knownSchema: number
  /** What is wrong with its file, where that was looked at. */
  damage?: string[]
  /** Nothing where the schema is not the one that is known. */
  contents?: DatabaseContents
  /** Where the database has a clock of its own. */
  clock?: number
}

export type DatabaseContents = PassportCounts & {
  /** Those that still waited for a scorer a moment later. */
  stillStale: number
  keys: ApiKey[]
  plan: RetirementPlan | undefined
  /** What a copy into it has noted. */
  copying: string | undefined
}

/** `full` also compares indexes with their tables. Throws `unavailable` with a sentence where it cannot be looked at. */
export async function diagnose(address: DatabaseAddress, full: boolean): Promise<Diagnostics> {
  return address.engine === 'sqlite' ? diagnoseSqlite(address.path, full) : diagnosePostgres(address.url)
}
