import { fromLaterText } from '../../domain/record/record.ts'
import type { WireListedPassport, WirePassport } from '../../domain/record/schemas.ts'
import { presentListedPassportV2, presentPassportV2 } from '../../domain/v2/present.ts'
import { etagOf } from '../hash.ts'
import type { V1Passport } from '../store.ts'
import { type FoundItem, type FoundPassport, toItem } from './v1.ts'

export type FoundPassportV2 = FoundPassport & { later_fields: string }
export type FoundItemV2 = FoundItem & { later_fields: string }

/** The V2 response, made from the stored V1 response. */
export function toPassportV2({ id, merged, body: v1, stale, later_fields }: FoundPassportV2): V1Passport {
  const { passport } = JSON.parse(v1) as { passport: WirePassport }
  passport.calculating_score = Boolean(stale)
  const body = JSON.stringify({ passport: presentPassportV2(passport, fromLaterText(later_fields)) })
  return { id, merged, body, etag: etagOf(body) }
}

export function toItemV2(row: FoundItemV2): string {
  const passport = JSON.parse(toItem(row)) as WireListedPassport
  return JSON.stringify(presentListedPassportV2(passport, fromLaterText(row.later_fields)))
}
