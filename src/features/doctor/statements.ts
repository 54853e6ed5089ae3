import { LIMITS, MAX_CREDENTIALS_BYTES, MAX_LIST_ITEM_BYTES } from '../../core/passport/record-size.ts'
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
  /** Largest first. */
  oversized: Oversized[]
}

/** `left`: where copies of removed rows are. The times are those of the last removal. */
export type Remains = { removedAt: number | undefined; left: string[] }

/** SQL for both engines. */
export const LAST_REMOVAL = `select cast(max(removed_at) as double precision) as time from
  (select removed_at from removals union all select removed_at from barred_wallets) as removed`

/** The wait before stale passports are counted again, to detect a running scorer. */
const RECHECK_DELAY = 1500

export async function readContents(query: Query): Promise<DatabaseContents> {
  const [counts] = (await query(PASSPORT_COUNTS)) as [
    Omit<DatabaseContents, 'stillStale' | 'keys' | 'oversized'>,
  ]
  if (counts.stale > 0) await Bun.sleep(RECHECK_DELAY)
  return {
    ...counts,
    stillStale: await findNumber(query, STALE_COUNT),
    keys: await listKeys(query),
    oversized: await query<Oversized>(OVERSIZED),
  }
}

const PASSPORT_COUNTS = `select
  cast(count(*) as double precision) as passports,
  cast(coalesce(sum(case when stale = 1 then 1 else 0 end), 0) as double precision) as stale,
  cast(coalesce(sum(case when stale = 2 then 1 else 0 end), 0) as double precision) as "unscorable"
  from passports`

/** At most this many oversized passports are reported. */
export const MOST_OVERSIZED = 100

/** A stored passport that is larger than an import accepts. */
type Oversized = { id: number; bytes: number }

/** The limit of the socials, and room for the other members of `more_fields`. */
const SOCIALS_BYTES = LIMITS.passport_socials.bytes + 100

const larger = (column: string, table: string, most: number) =>
  `select passport_id, octet_length(${column}) as bytes from ${table} where octet_length(${column}) > ${most}`

const OVERSIZED = `select cast(passport_id as double precision) as id, cast(sum(bytes) as double precision) as bytes
  from (${larger('fields', 'v1_passports', MAX_LIST_ITEM_BYTES)}
    union all ${larger('more_fields', 'v1_passports', SOCIALS_BYTES)}
    union all ${larger('body', 'v1_credentials', MAX_CREDENTIALS_BYTES)}) as larger
  group by passport_id order by 2 desc, 1 limit ${MOST_OVERSIZED + 1}`
