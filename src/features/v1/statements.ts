import { type Awaitable, andThen } from '../../core/basics/awaitable.ts'
import type { PassportRef } from '../../core/passport/passport.ts'
import { presentInstant } from '../../core/passport/present.ts'
import { defineData } from '../../core/store/data.ts'
import { IS_VISIBLE, LISTED_COLUMNS, type ListedRow } from '../../core/store/rows/passport.ts'
import type { Database } from '../../core/store/sql/connection.ts'
import { createFinder, MERGED } from '../../core/store/sql/passports.ts'
import { selectIds } from '../../core/store/sql/words.ts'

export type ItemRow = ListedRow
export type PassportRow = ListedRow & { socials: string; merged: number }

/** A JSON response. `merged` is not 0 if another passport was merged into this one. */
export type PassportBody = { body: string; id: number; merged: number }

/** The responses of V1 or V2. */
export type Bodies = ReturnType<typeof createBodies>

export const V1_BODIES = defineData({
  name: 'v1',
  open: (database) => createBodies(database, presentPassport, presentItem),
})

/** The responses with credentials, the same in V1 and V2. */
export const CREDENTIAL_BODIES = defineData({
  name: 'v1-credentials',
  open({ lookup }) {
    const find = createFinder<{ shown: string }>(lookup, SELECT_SHOWN)
    return {
      find: (ref: PassportRef): Awaitable<string | undefined> =>
        andThen(find(ref), (row) => row && `{"passport_credentials":${row.shown}}`),
    }
  },
})

const SELECT_SHOWN = 'select shown from passports join credentials on passport_id = id'

/**
 * `more`: further columns, after a comma. `cards` is the URL of the folder with the cards, if any; V1 shows no images.
 */
export function createBodies<MorePassport extends object, MoreItem extends object>(
  { lookup }: Database,
  presentPassport: (row: PassportRow & MorePassport, cards: string) => string,
  presentItem: (row: ItemRow & MoreItem, cards: string) => string,
  more = { passport: '', item: '' },
) {
  const find = createFinder<PassportRow & MorePassport>(
    lookup,
    `select ${LISTED_COLUMNS}, socials, ${MERGED}${more.passport} from passports`,
  )
  const list = `select ${LISTED_COLUMNS}${more.item} from passports where id in (${selectIds('$1')}) and ${IS_VISIBLE}`
  const listRows = async (ids: readonly number[]) =>
    ids.length === 0 ? [] : lookup<ItemRow & MoreItem>(list, [ids])
  return {
    /** The id of a merged passport finds the response of its survivor. */
    findPassport: (ref: PassportRef, cards = ''): Awaitable<PassportBody | undefined> =>
      andThen(find(ref), (row) => {
        if (!row) return undefined
        const body = `{"passport":${presentPassport(row, cards)}}`
        return { id: row.id, merged: row.merged, body }
      }),
    /** List items in the order of the ids. Passports that are no longer listed are left out. */
    async listItems(ids: readonly number[], cards = '') {
      const rows = new Map((await listRows(ids)).map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const row = rows.get(id)
        return row ? [presentItem(row, cards)] : []
      })
    },
    /** The same, highest score first, then by id. */
    async rankItems(ids: readonly number[], cards = '') {
      const rows = await listRows(ids)
      return rows.sort(byRank).map((row) => presentItem(row, cards))
    },
  }
}

const byRank = (one: ItemRow, other: ItemRow) => other.score - one.score || one.id - other.id

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
