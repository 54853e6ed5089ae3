import type { Database } from 'bun:sqlite'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { OnProgress } from '../../migration-progress.ts'
import { type CredentialRow, toCredential } from '../../migrations/credential-rows.ts'
import type { StoredRow } from '../../rows/passport.ts'
import { renderPassport } from '../../v1-renderer.ts'
import { incrementRankingVersion } from '../statements.ts'
import { createWriteModel } from '../write-model.ts'

const STEP = 1000

/** The part of migration 9 that SQL cannot do: stores credentials as lists and renders V1 responses. */
export function storeV1(database: Database, onProgress: OnProgress): void {
  const model = createWriteModel(database)
  const listRows = database.query<StoredRow, [number, number]>(
    'select * from passports where id > ? order by id limit ?',
  )
  const listCredentials = database.query<CredentialRow, [number]>(
    'select * from credential_rows where passport_id = ?',
  )
  const total =
    database.query<{ count: number }, []>('select count(*) as count from passports').get()?.count ?? 0
  let done = 0
  for (let after = -1; ; ) {
    const rows = listRows.all(after, STEP)
    for (const row of rows) {
      const list = listCredentials.all(row.id).map(toCredential)
      if (list.length > 0) model.credentials.put(row.id, list, row.merged_into === null)
      renderPassport(model, row, list)
    }
    done += rows.length
    onProgress(done, total)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
  }
  database.run('drop table credential_rows')
  incrementRankingVersion(database)
}

/** Removes the response files that earlier versions kept beside the database. */
export function removeDocumentFiles(path: string): void {
  const folder = dirname(path)
  const prefix = `${basename(path)}-documents-`
  for (const name of readdirSync(folder))
    if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true })
}
