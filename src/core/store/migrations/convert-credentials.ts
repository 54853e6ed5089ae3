import type { Credential } from '../../passport/credential.ts'
import { type CredentialsRow, toCredentialsRow, toUnscoredRow } from '../rows/credential.ts'
import type { Connection } from '../sql/connection.ts'
import { listTables } from '../sql/tables.ts'

const BATCH = 1000

/** The stored form, and the V1 response of a listed passport. */
type OldRow = { id: number; data: string | null; body: string | null }

/** Passports without credentials had no stored form, merged and hidden ones no V1 response. */
const OLD_ROWS = `select cast(id as double precision) as id, data, body from passports
  left join old_credentials on old_credentials.passport_id = id
  left join v1_credentials on v1_credentials.passport_id = id
  where id > $1 order by passports.id limit ${BATCH}`

const OLD_TABLES = ['old_credentials', 'v1_credentials']

/** Converts the credentials of an older schema, and drops their tables. */
export async function convertCredentials(connection: Connection): Promise<void> {
  const { query, insertRows } = connection
  if (!(await listTables(connection)).some(({ name }) => name === 'old_credentials')) return
  const listAfter = (id: number) => query<OldRow>(OLD_ROWS, [id])
  for (let rows = await listAfter(-1); rows.length > 0; rows = await listAfter(rows.at(-1)?.id ?? 0)) {
    const converted = rows.map((row) => ({ passport_id: row.id, ...toRow(row) }))
    await insertRows('credentials', converted)
    // SQLite then uses the space of the old rows for the next new ones.
    for (const table of OLD_TABLES)
      await query(`delete from ${table} where passport_id <= $1`, [rows.at(-1)?.id])
  }
  for (const table of OLD_TABLES) await query(`drop table ${table}`)
}

const BODY_START = '{"passport_credentials":'

function toRow({ data, body }: OldRow): CredentialsRow {
  const shown = body?.slice(BODY_START.length, -1)
  // Empty: the record gave what the response shows.
  if (!data) return { shown: shown ?? '[]', given: null, issuers: '' }
  const credentials: Credential[] = JSON.parse(data)
  const row = toCredentialsRow(credentials)
  return shown === undefined || shown === row.shown ? row : toUnscoredRow(shown, credentials)
}
