import { type CredentialRow, toCredential } from '../migrations/credential-rows.ts'
import { toCredentialData } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../rows/v1.ts'
import { CREDENTIAL_COLUMNS, PASSPORT_COLUMNS } from './columns.ts'
import { insertRows, type Query, selectable } from './query.ts'
import { saveV1 } from './save-changes.ts'

const STEP = 1000

const OLD_COLUMNS = selectable({
  passport_id: 'bigint',
  id: 'text',
  type: 'text',
  name: 'text',
  category: 'text',
  score: 'float8',
  max_score: 'float8',
  value: 'text',
  earned_at: 'bigint',
  calculated_at: 'bigint',
  given_score: 'float8',
  superseded: 'integer',
})

/** Stores credentials as lists and renders V1 responses: the part of migration 4 that SQL cannot do. */
export async function storeV1(
  query: Query,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const [counted] = await query<{ count: number }>('select count(*)::float8 as count from passports')
  let done = 0
  for (let after = -1; ; ) {
    const rows = await query<StoredRow & { merged: boolean }>(
      `select ${selectable(PASSPORT_COLUMNS)},
         exists (select 1 from passports as other where other.merged_into = passports.id) as merged
       from passports where passports.id > $1 order by passports.id limit $2`,
      [after, STEP],
    )
    await storeRows(query, rows)
    done += rows.length
    onProgress(done, counted?.count ?? 0)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
  }
  await query('drop table credential_rows')
}

async function storeRows(query: Query, rows: readonly (StoredRow & { merged: boolean })[]): Promise<void> {
  const old = await query<CredentialRow & { passport_id: number }>(
    `select ${OLD_COLUMNS} from credential_rows where passport_id = any($1::bigint[])`,
    [rows.map(({ id }) => id)],
  )
  const lists = Map.groupBy(old, ({ passport_id }) => passport_id)
  const credentialsOf = (id: number) => (lists.get(id) ?? []).map(toCredential)
  await insertRows(
    query,
    'credentials',
    CREDENTIAL_COLUMNS,
    [...lists.keys()].map((id) => ({ passport_id: id, data: toCredentialData(credentialsOf(id)) })),
  )
  const listed = rows.filter(({ merged_into }) => merged_into === null)
  await saveV1(
    query,
    new Map(listed.map(({ merged, ...row }) => [row.id, toV1PassportRow(row, merged)])),
    new Map(listed.map(({ id }) => [id, toV1CredentialsRow(id, credentialsOf(id))])),
  )
}
