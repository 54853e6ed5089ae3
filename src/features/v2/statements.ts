import { etagOf } from '../../core/basics/hash.ts'
import { fromLaterText } from '../../core/passport/present.ts'
import type { WireListedPassport, WirePassport } from '../../core/passport/wire-schemas.ts'
import { type Base, defineData } from '../../core/store/data.ts'
import { createBodies, type ItemRow, type PassportBody, type PassportRow, toItem } from '../v1/statements.ts'
import { presentListedPassportV2, presentPassportV2 } from './present.ts'

/** A V2 response is made from the stored V1 response. */
export const V2_BODIES = defineData({
  name: 'v2',
  open: (base: Base) => createBodies(base, ', later_fields', toPassportV2, toItemV2),
})

/** The fields that V2 adds, as shown. */
type LaterText = { later_fields: string }

function toPassportV2(row: PassportRow & LaterText, cards: string): PassportBody {
  const { id, merged, stale, later_fields } = row
  const { passport } = JSON.parse(row.body) as { passport: WirePassport }
  passport.calculating_score = Boolean(stale)
  const body = JSON.stringify({ passport: presentPassportV2(passport, fromLaterText(later_fields), cards) })
  return { id, merged, body, etag: etagOf(body) }
}

function toItemV2(row: ItemRow & LaterText, cards: string): string {
  const passport = JSON.parse(toItem(row)) as WireListedPassport
  return JSON.stringify(presentListedPassportV2(passport, fromLaterText(row.later_fields), cards))
}
