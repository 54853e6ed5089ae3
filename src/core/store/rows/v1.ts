import { presentListedPassportV2, presentPassportV2 } from '../../../features/v2/present.ts'
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
import type { WireListedPassport, WirePassport } from '../../passport/wire-schemas.ts'
import type { V1Passport } from '../store.ts'
import { type StoredRow, toPassport } from './passport.ts'

type FoundPassport = V1Passport & { stale: number | boolean }

type FoundItem = { item: string; stale: number | boolean }

/** SQL condition of an update: the V1 or V2 response has changed. */
export const IS_CHANGED =
  'v1_passports.etag <> excluded.etag or v1_passports.later_fields <> excluded.later_fields'

/** SQL for both engines: a passport as an item of list pages, and as the single-passport response. */
export const ITEM = `'{' || fields || '}'`
export const BODY = `'{"passport":{' || fields || ',' || more_fields || '}}'`

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

/** The stored response, or that of a passport whose score is being calculated. */
export function toPassportV1(row: FoundPassport): V1Passport {
  if (!row.stale) return row
  const body = showCalculating(row.body)
  return { ...row, body, etag: etagOf(body) }
}

export const toItem = ({ item, stale }: FoundItem) => (stale ? showCalculating(item) : item)

/** Only numbers precede the field, so the first match is the field. */
const showCalculating = (json: string) =>
  json.replace('"calculating_score":false', '"calculating_score":true')

type LaterText = Pick<V1PassportRow, 'later_fields'>

/** The V2 response, made from the stored V1 response. */
export function toPassportV2(row: FoundPassport & LaterText, cards: string): V1Passport {
  const { id, merged, stale, later_fields } = row
  const { passport } = JSON.parse(row.body) as { passport: WirePassport }
  passport.calculating_score = Boolean(stale)
  const body = JSON.stringify({ passport: presentPassportV2(passport, fromLaterText(later_fields), cards) })
  return { id, merged, body, etag: etagOf(body) }
}

export function toItemV2(row: FoundItem & LaterText, cards: string): string {
  const passport = JSON.parse(toItem(row)) as WireListedPassport
  return JSON.stringify(presentListedPassportV2(passport, fromLaterText(row.later_fields), cards))
}
