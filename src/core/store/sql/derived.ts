import { handlesOf } from '../../passport/passport.ts'
import { defineData } from '../data.ts'
import { fromCredentialsRow, shownCredentialsOf } from '../rows/credential.ts'
import { type ListingRow, toListing } from '../rows/listing.ts'
import { isVisible, parseSocials, type StoredRow } from '../rows/passport.ts'
import { mapCredentialRows, mapDataPoints } from '../write/load-and-save-write-model.ts'
import type { Connection } from './connection.ts'
import { deleteSavedIndex } from './saved-index.ts'

type OnProgress = (passports: number) => void

/** The tables that are derived from passports, their credentials and their data points. */
export const DERIVED = defineData({
  name: 'derived',
  open: ({ transaction }) => ({
    rebuild: (onProgress: OnProgress) => fillDerived((work) => transaction(work, 'records'), onProgress),
  }),
})

const DERIVED_TABLES = ['handles', 'listing']

/** `onProgress` gets the number of passports of each batch. */
export async function fillDerived(
  run: (work: (connection: Connection) => Promise<number>) => Promise<number>,
  onProgress: OnProgress,
): Promise<void> {
  for (let after = -1; after < Number.MAX_SAFE_INTEGER; )
    after = await run((connection) => fillBatch(connection, after, onProgress))
}

const BATCH = 500

/** Fills the tables for the passports after an id. Returns the last one. */
async function fillBatch(connection: Connection, after: number, onProgress: OnProgress): Promise<number> {
  const { query, insertRows } = connection
  if (after < 0) await deleteSavedIndex(connection)
  const next = `select * from passports where id > $1 order by id limit ${BATCH}`
  const rows = await query<StoredRow>(next, [after])
  const ids = rows.map(({ id }) => id)
  const last = ids.at(-1) ?? Number.MAX_SAFE_INTEGER
  for (const table of DERIVED_TABLES)
    await query(`delete from ${table} where passport_id > $1 and passport_id <= $2`, [after, last])
  const credentials = await mapCredentialRows(connection, ids)
  const points = await mapDataPoints(connection, ids)
  const handles: object[] = []
  const listing: ListingRow[] = []
  for (const row of rows) {
    const stored = credentials.get(row.id)
    const all = fromCredentialsRow(stored)
    for (const handle of handlesOf(parseSocials(row.socials), points.get(row.id) ?? [], all))
      handles.push({ handle, passport_id: row.id })
    // Most records give what is shown, so that it need not be parsed again.
    if (isVisible(row))
      listing.push(toListing(row, stored?.given === null ? all : shownCredentialsOf(stored)))
  }
  await insertRows('handles', handles)
  await insertRows('listing', listing)
  onProgress(rows.length)
  return last
}
