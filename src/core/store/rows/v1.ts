import { etagOf } from '../../basics/hash.ts'
import { foldName } from '../../basics/text/fold-name.ts'
import type { FullPassport } from '../../passport/passport.ts'
import {
  fromLaterText,
  presentListedPassport,
  presentUnlistedFields,
  toLaterText,
  toShownFields,
} from '../../passport/present.ts'
import { type StoredRow, toPassport } from './passport.ts'

/** SQL condition of an update: the V1 or V2 response has changed. */
export const IS_CHANGED =
  'v1_passports.etag <> excluded.etag or v1_passports.later_fields <> excluded.later_fields'

/** A listed passport, for the list, the keyword search and the single-passport response. */
export type V1PassportRow = {
  passport_id: number
  score: number
  /** Folded, for the keyword search. */
  name: string
  /** JSON members of the list item, with calculating_score false. The single-passport response adds `more_fields`. */
  fields: string
  more_fields: string
  etag: string
  merged: number
  /** The fields that V2 adds, as shown (`toLaterText`). */
  later_fields: string
}

export function toV1PassportRow(row: StoredRow, passport: FullPassport): V1PassportRow {
  const more_fields = membersOf(presentUnlistedFields(passport))
  return {
    ...toV1ScoreRow(row, more_fields, passport),
    name: foldName(row.display_name),
    more_fields,
    merged: Number(passport.merged),
    later_fields: toLaterText(toShownFields(fromLaterText(row.later_fields), passport.socials)),
  }
}

/** The columns that scoring changes. */
export function toV1ScoreRow(row: StoredRow, more_fields: string, passport = toPassport(row)) {
  const fields = membersOf(presentListedPassport({ ...passport, stale: false }))
  return {
    passport_id: row.id,
    score: row.score,
    fields,
    etag: etagOf(`{"passport":{${fields},${more_fields}}}`),
  }
}

const membersOf = (value: object) => JSON.stringify(value).slice(1, -1)
