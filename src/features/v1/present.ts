import { presentInstant } from '../../core/passport/present.ts'
import type { ListedRow } from '../../core/store/rows/passport.ts'

export type ItemRow = ListedRow
export type PassportRow = ListedRow & { socials: string; merged: number }

/** The JSON members of a list item. Columns that are JSON are contained unparsed. */
export function presentMembers(row: ItemRow, profile = row.profile): string {
  const first = JSON.stringify({
    activity_score: row.activity_score,
    identity_score: row.identity_score,
    skills_score: row.skills_score,
    score: row.score,
    calculating_score: row.stale !== 0,
    connections_count: row.connections,
    human_checkmark: row.human === 1,
    last_calculated_at: presentInstant(row.calculated_at),
    main_wallet: row.main_wallet,
    passport_id: row.id,
  })
  return `${first.slice(1, -1)},"passport_profile":${profile},"verified_wallets":${row.verified_wallets}`
}

export const presentItem = (row: ItemRow): string => `{${presentMembers(row)}}`

export const presentPassport = (row: PassportRow): string =>
  `{${presentMembers(row)},${presentMore(row, row.socials)}}`

/** The members that only the single-passport response has. */
export const presentMore = ({ merged }: PassportRow, socials: string): string =>
  `"merged":${merged === 1},"passport_socials":${socials}`
