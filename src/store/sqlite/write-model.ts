import type { Database } from 'bun:sqlite'
import { fromCredentialData, toCredentialData } from '../rows/credential.ts'
import { STORED, STORED_COLUMNS, type StoredRow } from '../rows/passport.ts'
import type { WriteModel } from '../write-model.ts'
import { createDataPointWriter } from './data-points.ts'
import { createSettings } from './settings.ts'

/** Reads and writes at once; the caller holds the transaction. */
export function createWriteModel(writer: Database): WriteModel {
  const settings = createSettings(writer)
  const v1 = createV1Writer(writer)
  return {
    passports: createPassportTable(writer, v1),
    wallets: createWalletTable(writer),
    credentials: createCredentialTable(writer),
    dataPoints: createDataPointWriter(writer),
    removals: createRemovalTable(writer),
    v1,
    rules: () => settings.get('adopting') ?? settings.get('rules'),
  }
}

function createPassportTable(writer: Database, v1: WriteModel['v1']): WriteModel['passports'] {
  const find = writer.query<StoredRow, [number]>(`select ${STORED} from passports where id = ?`)
  const findSurvivor = writer.query<{ merged_into: number | null }, [number]>(
    'select merged_into from passports where id = ?',
  )
  const listMerged = writer.query<{ id: number }, [number]>('select id from passports where merged_into = ?')
  const insert = writer.query(
    `insert into passports (${STORED}) values (${STORED_COLUMNS.map((column) => `$${column}`).join(', ')})`,
  )
  const columns = STORED_COLUMNS.slice(1).map((column) => `${column} = $${column}`)
  const update = writer.query(`update passports set ${columns.join(', ')} where id = $id`)
  const deletions = [
    'delete from wallets where passport_id = ?',
    'delete from credentials where passport_id = ?',
    'delete from data_points where passport_id = ?',
    'delete from passports where id = ?',
  ].map((sql) => writer.query(sql))

  return {
    find: (id) => find.get(id) ?? undefined,
    findSurvivor: (id) => findSurvivor.get(id)?.merged_into,
    listMerged: (into) => listMerged.all(into).map(({ id }) => id),
    insert: (row) => void insert.run(row),
    update: (row) => void update.run(row),
    remove(id) {
      v1.remove(id)
      for (const deletion of deletions) deletion.run(id)
    },
  }
}

function createWalletTable(writer: Database): WriteModel['wallets'] {
  const findOwner = writer.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const insert = writer.query('insert into wallets (address, passport_id) values (?, ?)')
  const setOwner = writer.query('update wallets set passport_id = ? where address = ?')
  const removeAll = writer.query('delete from wallets where passport_id = ?')
  return {
    findOwner: (address) => findOwner.get(address)?.passport_id,
    insert: (address, passportId) => void insert.run(address, passportId),
    setOwner: (address, passportId) => void setOwner.run(passportId, address),
    removeAll: (passportId) => void removeAll.run(passportId),
  }
}

function createCredentialTable(writer: Database): WriteModel['credentials'] {
  const find = writer.query<{ data: string }, [number]>('select data from credentials where passport_id = ?')
  const put = writer.query(
    `insert into credentials (passport_id, data) values (?, ?)
     on conflict (passport_id) do update set data = excluded.data where data <> excluded.data`,
  )
  return {
    list: (passportId) => fromCredentialData(find.get(passportId)?.data),
    put: (passportId, list) => void put.run(passportId, toCredentialData(list)),
  }
}

function createRemovalTable(writer: Database): WriteModel['removals'] {
  const find = writer.query('select 1 from removals where passport_id = ?')
  const insert = writer.query('insert into removals (passport_id, removed_at) values (?, ?)')
  const remove = writer.query('delete from removals where passport_id = ?')
  return {
    has: (id) => find.get(id) !== null,
    insert: (id, now) => void insert.run(id, now),
    remove: (id) => void remove.run(id),
  }
}

/** Rows carry the version that `ranking` has when the transaction has ended. */
function createV1Writer(writer: Database): WriteModel['v1'] {
  const version = '(select version + 1 from ranking)'
  const putPassport = writer.query(
    `insert into v1_passports (passport_id, version, score, name, item, body, etag, merged)
     values ($passport_id, ${version}, $score, $name, $item, $body, $etag, $merged)
     on conflict (passport_id) do update set version = excluded.version, score = excluded.score,
       name = excluded.name, item = excluded.item, body = excluded.body, etag = excluded.etag,
       merged = excluded.merged
     where etag <> excluded.etag`,
  )
  const putCredentials = writer.query(
    `insert into v1_credentials (passport_id, body, etag) values ($passport_id, $body, $etag)
     on conflict (passport_id) do update set body = excluded.body, etag = excluded.etag
     where etag <> excluded.etag`,
  )
  const removePassport = writer.query('delete from v1_passports where passport_id = ?')
  const removeCredentials = writer.query('delete from v1_credentials where passport_id = ?')
  const unlist = writer.query(`insert or replace into unlisted (passport_id, version) values (?, ${version})`)
  return {
    putPassport: (row) => void putPassport.run(row),
    putCredentials: (row) => void putCredentials.run(row),
    remove(passportId) {
      if (removePassport.run(passportId).changes > 0) unlist.run(passportId)
      removeCredentials.run(passportId)
    },
  }
}
