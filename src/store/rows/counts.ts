/** Of all passports, and the usage of them, on either engine. */
export const PASSPORT_COUNTS = `select
  cast(count(*) as double precision) as passports,
  cast(coalesce(sum(case when stale = 1 then 1 else 0 end), 0) as double precision) as stale,
  cast(coalesce(sum(case when stale = 2 then 1 else 0 end), 0) as double precision) as set_aside,
  cast(max(calculated_at) as double precision) as newest,
  cast(max(case when rules <> '' then calculated_at end) as double precision) as scored,
  (select max(day) from usage) as last_day
  from passports`

export const STALE_COUNT = 'select cast(count(*) as double precision) as count from passports where stale = 1'

export type PassportCounts = {
  passports: number
  stale: number
  set_aside: number
  newest: number | null
  scored: number | null
  last_day: string | null
}

export const toCounts = ({ passports, stale, set_aside, newest, scored, last_day }: PassportCounts) => ({
  passports,
  stale,
  setAside: set_aside,
  newestRecord: newest ?? undefined,
  lastScoring: scored ?? undefined,
  lastDay: last_day ?? undefined,
})

/** How long scorers are watched to see whether any is at work. */
export const WATCH_MILLISECONDS = 1500
