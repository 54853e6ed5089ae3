import type { Database } from 'bun:sqlite'
import type { DataPoint } from '../../domain/data-point.ts'
import { shownCredentialsOf, toCredentialData } from '../rows/credential.ts'
import { toDataPointRow } from '../rows/data-point.ts'
import type { StoredRow } from '../rows/passport.ts'
import { IS_CHANGED } from '../rows/v1.ts'
import { targetRules } from '../write/rule-adoption.ts'
import type { WriteModel } from '../write/write-model.ts'
import { NEXT_VERSION, prepareUpsert } from './connection/statements.ts'
import { createCredentialReader, createDataPointReader } from './credentials-and-points.ts'
import { createAdoption } from './settings.ts'

/** Reads and writes the tables directly, inside the current transaction. */
export function createWriteModel(writer: Database): WriteModel {
  const adoption = createAdoption(writer)
  const v1 = createV1Writer(writer)
  return {
    passports: createPassportTable(writer, v1),
    wallets: createWalletTable(writer),
    credentials: createCredentialTable(writer),
    dataPoints: createDataPointTable(writer),
    handles: createHandleTable(writer),
    removals: createRemovalTable(writer),
    v1,
    rules: () => targetRules(adoption.find()),
  }
}

function createPassportTable(writer: Database, v1: WriteModel['v1']): WriteModel['passports'] {
  const find = writer.query<StoredRow, [number]>('select * from passports where id = ?')
  const findSurvivor = writer.query<{ merged_into: number | null }, [number]>(
    'select merged_into from passports where id = ?',
  )
  const listMerged = writer.query<{ id: number }, [number]>('select id from passports where merged_into = ?')
  const put = prepareUpsert(writer, 'passports')
  const deletions = [
    'delete from wallets where passport_id = ?',
    'delete from credentials where passport_id = ?',
    'delete from data_points where passport_id = ?',
    'delete from handles where passport_id = ?',
    'delete from passports where id = ?',
  ]

  return {
    find: (id) => find.get(id) ?? undefined,
    findSurvivor: (id) => findSurvivor.get(id)?.merged_into,
    listMerged: (into) => listMerged.all(into).map(({ id }) => id),
    put: (row) => void put.run(row),
    remove(id) {
      v1.remove(id)
      for (const deletion of deletions) writer.query(deletion).run(id)
    },
  }
}

function createWalletTable(writer: Database): WriteModel['wallets'] {
  const findOwner = writer.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const put = prepareUpsert(writer, 'wallets')
  const removeAll = writer.query('delete from wallets where passport_id = ?')
  return {
    findOwner: (address) => findOwner.get(address)?.passport_id,
    setOwner: (address, passportId) => void put.run({ address, passport_id: passportId }),
    removeAll: (passportId) => void removeAll.run(passportId),
  }
}

function createCredentialTable(writer: Database): WriteModel['credentials'] {
  const { find, listAll } = createCredentialReader(writer)
  const put = prepareUpsert(writer, 'credentials', 'data <> excluded.data')
  return {
    list: listAll,
    listShown: (id) => shownCredentialsOf(find(id)),
    put: (passportId, list, isShown) =>
      void put.run({ passport_id: passportId, data: toCredentialData(list, isShown) }),
  }
}

function createDataPointTable(writer: Database): WriteModel['dataPoints'] {
  const put = prepareUpsert(writer, 'data_points')
  const removeAll = writer.query('delete from data_points where passport_id = ?')
  const putPoint = (passportId: number, point: DataPoint) => void put.run(toDataPointRow(passportId, point))
  return {
    ...createDataPointReader(writer),
    put: putPoint,
    replace(passportId, points) {
      removeAll.run(passportId)
      for (const point of points) putPoint(passportId, point)
    },
  }
}

function createHandleTable(writer: Database): WriteModel['handles'] {
  const list = writer.query<{ handle: string }, [number]>(
    'select handle from handles where passport_id = ? order by handle',
  )
  const insert = writer.query('insert into handles values (?, ?)')
  const removeAll = writer.query('delete from handles where passport_id = ?')
  const add: WriteModel['handles']['add'] = (passportId, handles) => {
    for (const handle of handles) insert.run(handle, passportId)
  }
  return {
    add,
    replace(passportId, handles) {
      const before = list.all(passportId).map(({ handle }) => handle)
      // Most changed records keep their handles.
      if (Bun.deepEquals(handles, before)) return
      if (before.length > 0) removeAll.run(passportId)
      add(passportId, handles)
    },
  }
}

function createRemovalTable(writer: Database): WriteModel['removals'] {
  const find = writer.query('select 1 from removals where passport_id = ?')
  const put = prepareUpsert(writer, 'removals')
  const remove = writer.query('delete from removals where passport_id = ?')
  return {
    has: (id) => find.get(id) !== null,
    put: (id, now) => void put.run({ passport_id: id, removed_at: now }),
    remove: (id) => void remove.run(id),
  }
}

function createV1Writer(writer: Database): WriteModel['v1'] {
  const putPassport = prepareUpsert(writer, 'v1_passports', IS_CHANGED)
  const putCredentials = prepareUpsert(writer, 'v1_credentials', 'etag <> excluded.etag')
  const touch = writer.query(
    `update v1_passports set version = ${NEXT_VERSION} where passport_id = ? and version <> ${NEXT_VERSION}`,
  )
  const removePassport = writer.query('delete from v1_passports where passport_id = ?')
  const removeCredentials = writer.query('delete from v1_credentials where passport_id = ?')
  const unlist = writer.query(`insert or replace into unlisted values (?, ${NEXT_VERSION})`)
  return {
    putPassport: (row) => void putPassport.run(row),
    /** A change of the credentials alone is a new version, too. */
    putCredentials(row) {
      if (putCredentials.run(row).changes > 0) touch.run(row.passport_id)
    },
    touch: (passportId) => void touch.run(passportId),
    remove(passportId) {
      if (removePassport.run(passportId).changes > 0) unlist.run(passportId)
      removeCredentials.run(passportId)
    },
  }
}
