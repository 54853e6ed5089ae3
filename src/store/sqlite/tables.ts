import type { Database } from 'bun:sqlite'
import { STORED, STORED_COLUMNS, type StoredRow } from '../rows/passport.ts'
import type { Tables } from '../tables.ts'
import { createCredentialWriter } from './credentials.ts'
import { createDataPointWriter } from './data-points.ts'
import { createNames } from './names.ts'
import { createSettings } from './settings.ts'

/** Reads and writes at once; the caller holds the transaction. */
export function createTables(writer: Database): Tables {
  const names = createNames(writer)
  const settings = createSettings(writer)
  return {
    passports: createPassportTable(writer, names),
    wallets: createWalletTable(writer),
    names,
    credentials: createCredentialWriter(writer),
    dataPoints: createDataPointWriter(writer),
    removals: createRemovalTable(writer),
    rules: () => settings.get('adopting') ?? settings.get('rules'),
  }
}

function createPassportTable(writer: Database, names: Tables['names']): Tables['passports'] {
  const find = writer.query<StoredRow, [number]>(`select ${STORED} from passports where id = ?`)
  const findSurvivor = writer.query<{ merged_into: number | null }, [number]>(
    'select merged_into from passports where id = ?',
  )
  const listMerged = writer.query<{ id: number }, [number]>('select id from passports where merged_into = ?')
  // With triggers, "or abort" is several times slower beside a full-text index in the same transaction.
  const insert = writer.query(
    `insert or fail into passports (${STORED}) values (${STORED_COLUMNS.map((column) => `$${column}`).join(', ')})`,
  )
  const columns = STORED_COLUMNS.slice(1).map((column) => `${column} = $${column}`)
  const update = writer.query(`update passports set ${columns.join(', ')} where id = $id`)
  const markStale = writer.query('update passports set stale = 1 where id = ?')
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
    markStale: (id) => void markStale.run(id),
    remove(id) {
      names.remove(id)
      for (const deletion of deletions) deletion.run(id)
    },
  }
}

function createWalletTable(writer: Database): Tables['wallets'] {
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

function createRemovalTable(writer: Database): Tables['removals'] {
  const find = writer.query('select 1 from removals where passport_id = ?')
  const insert = writer.query('insert into removals (passport_id, removed_at) values (?, ?)')
  const remove = writer.query('delete from removals where passport_id = ?')
  return {
    has: (id) => find.get(id) !== null,
    insert: (id, now) => void insert.run(id, now),
    remove: (id) => void remove.run(id),
  }
}
