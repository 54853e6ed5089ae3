/** SQL for `PassportCounts`, on either engine. */
export const PASSPORT_COUNTS = `select
  cast(count(*) as double precision) as passports,
  cast(coalesce(sum(case when stale = 1 then 1 else 0 end), 0) as double precision) as stale,
  cast(coalesce(sum(case when stale = 2 then 1 else 0 end), 0) as double precision) as "unscorable"
  from passports`

export const STALE_COUNT =
  'select cast(count(*) as double precision) as count from passports where stale <> 0 and stale = 1'

export type PassportCounts = {
  passports: number
  /** Passports that wait for a scorer. */
  stale: number
  unscorable: number
}

/** The wait before stale passports are counted again, to detect a running scorer. */
export const RECHECK_DELAY = 1500
