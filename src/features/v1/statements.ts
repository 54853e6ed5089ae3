import { etagOf } from '../../core/basics/hash.ts'
import type { PassportRef } from '../../core/passport/passport.ts'
import { type Base, defineData } from '../../core/store/data.ts'
import { IS_VISIBLE } from '../../core/store/rows/passport.ts'
import { createFinder } from '../../core/store/sql/passports.ts'
import { selectIds } from '../../core/store/sql/words.ts'

/** A stored JSON response. */
export type StoredBody = { body: string; etag: string }

/** `merged` is not 0 if another passport was merged into this one. */
export type PassportBody = StoredBody & { id: number; merged: number }

/** The responses of V1 or V2. `cards` is the URL of the folder with the cards, if any; V1 shows no images. */
export type Bodies = {
  /** The id of a merged passport finds the response of its survivor. */
  findPassport(ref: PassportRef, cards?: string): Promise<PassportBody | undefined>
  /** List items, highest score first, then by id. Passports that are no longer listed are left out. */
  listItems(ids: readonly number[], cards?: string): Promise<string[]>
}

export const V1_BODIES = defineData({
  name: 'v1',
  open: (base: Base) => createBodies(base, '', toPassport, toItem),
})

/** The responses with credentials, the same in V1 and V2. */
export const CREDENTIAL_BODIES = defineData({
  name: 'v1-credentials',
  open({ prepare }: Base) {
    const find = createFinder<{ shown: string }>(prepare, SELECT_SHOWN)
    return {
      async find(ref: PassportRef): Promise<StoredBody | undefined> {
        const row = await find(ref)
        return row && toStoredBody(row.shown)
      },
    }
  },
})

const SELECT_SHOWN = `select shown from credentials join passports on id = passport_id and ${IS_VISIBLE}`

function toStoredBody(shown: string): StoredBody {
  const body = `{"passport_credentials":${shown}}`
  return { body, etag: etagOf(body) }
}

/** A row has the stored response, and whether the score of the passport is being calculated. */
export type PassportRow = PassportBody & { stale: number | boolean }
export type ItemRow = { item: string; stale: number | boolean }

/** `more` are further columns of both rows. */
export function createBodies<MorePassport, MoreItem>(
  { prepare }: Base,
  more: string,
  toBody: (row: PassportRow & MorePassport, cards: string) => PassportBody,
  toText: (row: ItemRow & MoreItem, cards: string) => string,
): Bodies {
  // Because of `between`, SQLite uses the small index of stale passports.
  const select = (columns: string) =>
    `select cast(passport_id as double precision) as id, ${columns},
       exists (
         select 1 from passports where id between passport_id and passport_id and stale <> 0
       ) as stale${more}
     from v1_passports`
  const find = createFinder<PassportRow & MorePassport>(prepare, select(`${BODY} as body, etag, merged`))
  const list = prepare<ItemRow & MoreItem & Ranked>(
    `${select(`score, ${ITEM} as item`)} where passport_id in (${selectIds('$1')})`,
  )
  return {
    async findPassport(ref, cards = '') {
      const row = await find(ref)
      return row && toBody(row, cards)
    },
    async listItems(ids, cards = '') {
      if (ids.length === 0) return []
      // Rows are sorted here, because SQLite would copy them to sort.
      return (await list(ids)).sort(byRank).map((row) => toText(row, cards))
    },
  }
}

/** SQL for both engines: a passport as an item of list pages, and as the single-passport response. */
const ITEM = `'{' || fields || '}'`
const BODY = `'{"passport":{' || fields || ',' || more_fields || '}}'`

type Ranked = { id: number; score: number }

const byRank = (one: Ranked, other: Ranked) => other.score - one.score || one.id - other.id

function toPassport(row: PassportRow): PassportBody {
  if (!row.stale) return row
  const body = showCalculating(row.body)
  return { ...row, body, etag: etagOf(body) }
}

export const toItem = ({ item, stale }: ItemRow) => (stale ? showCalculating(item) : item)

/** Only numbers precede the field, so the first match is the field. */
const showCalculating = (json: string) =>
  json.replace('"calculating_score":false', '"calculating_score":true')
