/** SQL for `PassportCounts`, on either engine. */
export const PASSPORT_COUNTS = `select
  cast(count(*) as double precision) as passports,
  cast(coalesce(sum(case when stale = 1 then 1 else 0 end), 0) as double precision) as stale,
  cast(coalesce(sum(case when stale = 2 then 1 else 0 end), 0) as double precision) as "unscorable",
  cast(max(calculated_at) as double precision) as "newestRecord",
  cast(max(case when rules <> '' then calculated_at end) as double precision) as "lastScoring",
  (select max(day) from usage) as "lastDay"
  from passports`

export const STALE_COUNT =
  'select cast(count(*) as double precision) as count from passports where stale <> 0 and stale = 1'

export type PassportCounts = {
  passports: number
  /** Passports that wait for a scorer. */
  stale: number
  unscorable: number
  /** The latest time of a calculation, overall and by a rule set. */
  newestRecord: number | null
  lastScoring: number | null
  lastDay: string | null
}

/** The wait before stale passports are counted again, to detect a running scorer. */
export const RECHECK_DELAY = 1500
