import type { Database } from 'bun:sqlite'
import { foldName } from '../../domain/name.ts'
import type { PageRequest } from '../../domain/page.ts'
import { type PassportRef, walletsOf } from '../../domain/passport.ts'
import type { PassportRecord, Store } from '../store.ts'
import { createCredentialWriter } from './credentials.ts'
import { createNames, matchName } from './names.ts'
import { type FullPassportRow, type PassportRow, toFullPassport, toPassport, toRow } from './passport-row.ts'
import type { createRanking } from './ranking.ts'

const LISTED = `id, score, activity_score, identity_score, skills_score, stale, calculated_at, human, connections,
  main_wallet, verified_wallets, display_name, bio, location, tags`

/** More merges than anyone makes; a circle of them must end too. */
const LONGEST_CHAIN = 20

type Connections = { reader: Database; ranking: ReturnType<typeof createRanking> }

export function createPassportReader({ reader, ranking }: Connections) {
  const findById = reader.query<FullPassportRow, [number]>(
    `select ${LISTED}, socials, merged_into,
       exists (select 1 from passports as other where other.merged_into = passports.id) as merged
     from passports where id = ?`,
  )
  const findOwner = reader.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const listByIds = reader.query<PassportRow, [string]>(
    `select ${LISTED} from passports where id in (select value from json_each(?)) order by score desc, id`,
  )
  const countNamed = reader.query<{ count: number }, [string]>(
    'select count(*) as count from names where names match ?',
  )
  const listNamed = reader.query<PassportRow, [string, number, number]>(
    `select ${LISTED} from passports where id in (select rowid from names where names match ?)
     order by score desc, id limit ? offset ?`,
  )

  return {
    find(ref: PassportRef) {
      let id = 'id' in ref ? ref.id : findOwner.get(ref.wallet)?.passport_id
      // A passport may be merged into one that was merged itself.
      for (let hops = 0; id !== undefined && hops < LONGEST_CHAIN; hops++) {
        const row = findById.get(id)
        if (row === null) return undefined
        if (row.merged_into === null) return toFullPassport(row)
        id = row.merged_into
      }
      return undefined
    },

    list({ page, size, keyword }: PageRequest & { keyword: string | undefined }) {
      const offset = (page - 1) * size
      if (keyword === undefined) {
        const ids = ranking.ids()
        const slice = ids.subarray(offset, offset + size)
        return { items: listByIds.all(`[${slice}]`).map(toPassport), total: ids.length }
      }
      const match = matchName(keyword)
      const total = countNamed.get(match)?.count ?? 0
      const rows = offset < total ? listNamed.all(match, size, offset) : []
      return { items: rows.map(toPassport), total }
    },
  } satisfies Partial<Store['passports']>
}

export function createPassportWriter(writer: Database) {
  const names = createNames(writer)
  const credentials = createCredentialWriter(writer)
  const anyPassport = writer.query('select 1 from passports limit 1')
  const removeWallets = writer.query('delete from wallets where passport_id = ?')
  const insertWallet = writer.query('insert into wallets (address, passport_id) values (?, ?)')
  const countChange = writer.query('update ranking set version = version + 1')
  const put = writer.query(
    `insert or replace into passports (${LISTED}, socials, merged_into)
     values ($id, $score, $activity_score, $identity_score, $skills_score, $stale, $calculated_at, $human,
       $connections, $main_wallet, $verified_wallets, $display_name, $bio, $location, $tags, $socials, $merged_into)`,
  )

  function save(record: PassportRecord) {
    put.run(toRow(record))
    for (const wallet of walletsOf(record)) insertWallet.run(wallet, record.id)
    if (record.mergedInto === undefined) names.put(record.id, foldName(record.profile.displayName))
    else names.remove(record.id)
    credentials.replace(record.id, record.credentials)
  }

  const saveAll = writer.transaction((records: readonly PassportRecord[]) => {
    // Within one batch a wallet may move from one passport to another.
    for (const { id } of records) removeWallets.run(id)
    for (const record of records) save(record)
    countChange.run()
  })

  const saveIfEmpty = writer.transaction((records: readonly PassportRecord[]) => {
    if (anyPassport.get() !== null) return false
    saveAll(records)
    return true
  })

  return {
    save: (records) => saveAll.immediate(records),
    saveIfEmpty: (records) => saveIfEmpty.immediate(records),
  } satisfies Partial<Store['passports']>
}
