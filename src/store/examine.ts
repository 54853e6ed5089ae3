import type { ApiKey } from '../domain/api-key.ts'
import type { DatabaseAddress } from '../domain/database-address.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import { examinePostgres } from './postgres/examine.ts'
import { examineSqlite } from './sqlite/examine.ts'

/** What a database is found to be, without any change to it. */
export type Examination = {
  /** 0 where it has nothing of ours yet. */
  schema: number
  /** What this program knows. */
  knownSchema: number
  /** What is wrong with its file, where that was looked at. */
  damage?: string[]
  /** Nothing where the schema is not the one that is known. */
  contents?: ExaminedContents
  /** Where the database has a clock of its own. */
  clock?: number
}

export type ExaminedContents = {
  passports: number
  /** Passports that wait for a scorer, those of them that were still waiting a moment later, and those that cannot be scored. */
  stale: number
  stillStale: number
  setAside: number
  /** The latest times in it. */
  newestRecord: number | undefined
  lastScoring: number | undefined
  /** The last day for which usage was counted. */
  lastDay: string | undefined
  keys: ApiKey[]
  plan: RetirementPlan | undefined
  /** What a copy into it has noted. */
  copying: string | undefined
}

export type ExamineOptions = {
  /** Whether indexes are compared with their tables. */
  full: boolean
}

/** Looks at the database. Throws `unavailable` with a sentence where that cannot be done. */
export async function examine(address: DatabaseAddress, options: ExamineOptions): Promise<Examination> {
  return address.engine === 'sqlite' ? examineSqlite(address.path, options) : examinePostgres(address.url)
}
