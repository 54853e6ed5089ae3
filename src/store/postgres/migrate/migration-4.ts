import type { OnProgress } from '../../migration-progress.ts'
import { type CredentialRow, toCredential } from '../../migrations/credential-rows.ts'
import { toCredentialData } from '../../rows/credential.ts'
import type { StoredRow } from '../../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../../rows/v1.ts'
import { insertRows, type Query, selectRows } from '../connection/query.ts'
import { saveV1 } from '../save-changes.ts'

const STEP = 1000

/** The part of migration 4 that SQL cannot do: stores credentials as lists and renders V1 responses. */
export async function storeV1(query: Query, onProgress: OnProgress): Promise<void> {
  const [counted] = await query<{ count: number }>('select count(*)::float8 as count from passports')
  let done = 0
  for (let after = -1; ; ) {
    const rows = await query<PassportRow>(
      `select to_json(passports) as row,
         exists (select 1 from passports as other where other.merged_into = passports.id) as merged
       from passports where id > $1 order by id limit $2`,
      [after, STEP],
    )
    await storeRows(query, rows)
    done += rows.length
    onProgress(done, counted?.count ?? 0)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.row.id
  }
  await query('drop table credential_rows')
}

type PassportRow = { row: StoredRow; merged: boolean }

async function storeRows(query: Query, rows: readonly PassportRow[]): Promise<void> {
  const old = await selectRows<CredentialRow & { passport_id: number }>(
    query,
    'credential_rows',
    'where passport_id = any($1::bigint[])',
    [rows.map(({ row }) => row.id)],
  )
  const lists = Map.groupBy(old, ({ passport_id }) => passport_id)
  const credentialsOf = (id: number) => (lists.get(id) ?? []).map(toCredential)
  await insertRows(
    query,
    'credentials',
    rows
      .filter(({ row }) => lists.has(row.id))
      .map(({ row }) => ({
        passport_id: row.id,
        data: toCredentialData(credentialsOf(row.id), row.merged_into === null),
      })),
  )
  const listed = rows.filter(({ row }) => row.merged_into === null)
  await saveV1(
    query,
    listed.map(({ row, merged }) => toV1PassportRow(row, merged)),
    listed.map(({ row }) => toV1CredentialsRow(row.id, credentialsOf(row.id))),
  )
}
