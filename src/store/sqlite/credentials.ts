import type { Database } from 'bun:sqlite'
import type { Credential } from '../../domain/credential.ts'
import {
  CREDENTIAL_COLUMNS,
  type CredentialRow,
  diffCredentials,
  toCredential,
  toCredentialRow,
} from '../rows/credential.ts'
import type { View } from './view.ts'

/** The credentials of one passport that callers are shown. */
export const SHOWN_CREDENTIALS = `select ${CREDENTIAL_COLUMNS} from credentials
  where passport_id = ? and superseded = 0 order by score desc, name, id`

export function createCredentialList(reader: Database, view: View) {
  const list = reader.query<CredentialRow, [number]>(SHOWN_CREDENTIALS)
  return {
    list(passportId: number) {
      view.look()
      return list.all(passportId).map(toCredential)
    },
  }
}

/** With those that are not shown. */
export function createCredentialReader(reader: Database) {
  const listAll = reader.query<CredentialRow, [number]>(
    `select ${CREDENTIAL_COLUMNS} from credentials where passport_id = ? order by id`,
  )
  return { listAll: (passportId: number) => listAll.all(passportId).map(toCredential) }
}

export function createCredentialWriter(writer: Database) {
  const any = writer.query('select 1 from credentials where passport_id = ? limit 1')
  const removeAll = writer.query('delete from credentials where passport_id = ?')
  const remove = writer.query('delete from credentials where passport_id = ? and id = ?')
  // Not "insert or replace": beside a full-text index in the same transaction that is several times slower.
  const insert = writer.query(
    `insert into credentials (passport_id, ${CREDENTIAL_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  const forgetDocument = writer.query('delete from credential_documents where passport_id = ?')

  function write(passportId: number, credential: Credential): void {
    insert.run(passportId, ...Object.values(toCredentialRow(credential)))
  }

  return {
    has: (passportId: number) => any.get(passportId) !== null,
    /** For a passport that has neither credentials nor a document of them. */
    insert(passportId: number, credentials: readonly Credential[]): void {
      for (const credential of credentials) write(passportId, credential)
    },
    replace(passportId: number, credentials: readonly Credential[]): void {
      forgetDocument.run(passportId)
      removeAll.run(passportId)
      for (const credential of credentials) write(passportId, credential)
    },
    /** As `replace`, but touches only what differs from `before`. */
    update(passportId: number, before: readonly Credential[], after: readonly Credential[]): void {
      const { removed, written } = diffCredentials(before, after)
      if (written.length > 0) forgetDocument.run(passportId)
      for (const id of removed) remove.run(passportId, id)
      for (const credential of written) write(passportId, credential)
    },
  }
}
