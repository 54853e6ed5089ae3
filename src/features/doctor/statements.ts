import type { ApiKey } from '../../core/store/api-key.ts'
import { findNumber, type Query } from '../../core/store/sql/connection.ts'
import { listKeys } from '../../core/store/sql/keys.ts'
import { STALE_COUNT } from '../../core/store/sql/scoring.ts'

/** The state of a database, read without changing it. */
export type Diagnostics = {
  /** 0 if the database has no tables of passportd yet. */
  schema: number
  /** The schema number that this program needs. */
  knownSchema: number
  /** Problems of the file; SQLite only. */
  damage?: string[]
  /** Absent if `schema` and `knownSchema` differ. */
  contents?: DatabaseContents
}

export type DatabaseContents = {
  passports: number
  /** Passports that wait for a scorer. */
  stale: number
  unscorable: number
  /** Passports that are still stale after a short wait. */
  stillStale: number
  keys: ApiKey[]
}

/** The wait before stale passports are counted again, to detect a running scorer. */
const RECHECK_DELAY = 1500

export async function readContents(query: Query): Promise<DatabaseContents> {
  const [counts] = (await query(PASSPORT_COUNTS)) as [Omit<DatabaseContents, 'stillStale' | 'keys'>]
  if (counts.stale > 0) await Bun.sleep(RECHECK_DELAY)
  return {
    ...counts,
    stillStale: await findNumber(query, STALE_COUNT),
    keys: await listKeys(query),
  }
}

const PASSPORT_COUNTS = `select
  count(*) as passports,
  coalesce(sum(case when stale = 1 then 1 else 0 end), 0) as stale,
  coalesce(sum(case when stale = 2 then 1 else 0 end), 0) as unscorable
  from passports`
