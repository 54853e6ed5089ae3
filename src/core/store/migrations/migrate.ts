import type { Awaitable } from '../../basics/awaitable.ts'
import { handlesOf } from '../../passport/passport.ts'
import { fromCredentialsRow, shownCredentialsOf } from '../rows/credential.ts'
import { toFacetsRow } from '../rows/facets.ts'
import { IS_VISIBLE, type StoredRow } from '../rows/passport.ts'
import type { Connection } from '../sql/connection.ts'
import { mapCredentialRows, mapDataPoints } from '../write/load-and-save-write-model.ts'
import { convertCredentials } from './convert-credentials.ts'
import { unpackEvents } from './plain-events.ts'
import {
  lastSchema,
  type MigrationMode,
  type Migrations,
  type OnNotice,
  outdatedSchema,
  pendingSteps,
} from './schema-version.ts'

/** A database of either engine, for its migration. */
export type Migratable = {
  name: string
  migrations: Migrations
  /** The schema number; 0 without tables. Throws if this program can neither use nor migrate the database. */
  findVersion(): Awaitable<number>
  /** Throws if a migration would fail. */
  checkSpace?(): void
  /** Admits one process at a time, and stores the last schema number at the end. */
  transaction(work: (tx: MigrationTransaction) => Promise<void>): Promise<void>
}

type MigrationTransaction = {
  connection: Connection
  version: number
  /** Runs several statements. */
  run(script: string): Awaitable<unknown>
}

/** Migrates an outdated database if `mode` allows it, and throws otherwise. Returns the old schema number. */
export async function prepareSchema(
  { name, migrations, findVersion, checkSpace, transaction }: Migratable,
  mode: MigrationMode,
  onNotice?: OnNotice,
): Promise<number> {
  const [version, last] = [await findVersion(), lastSchema(migrations)]
  if (version === last) return version
  if (mode === false || (mode === 'new' && version > 0)) throw outdatedSchema(name, version, last)
  checkSpace?.()
  // A large database takes minutes.
  if (version > 0)
    onNotice?.(`Migrating ${name} from schema ${version} to ${last}: a large database takes minutes.`)
  await transaction(async (tx) => {
    for (const step of pendingSteps(migrations, tx.version)) await tx.run(step)
    await convertCredentials(tx.connection)
    await fillFacets(tx.connection)
    await fillHandles(tx.connection)
    await unpackEvents(tx.connection)
  })
  return version
}

const BATCH = 1000

/** The passports of a condition, in batches. */
async function* listBatches({ selectRows }: Connection, condition: string) {
  const rest = `where ${condition} and id > $1 order by id limit ${BATCH}`
  const listAfter = (id: number) => selectRows<StoredRow>('passports', rest, [id])
  for (let rows = await listAfter(-1); rows.length > 0; rows = await listAfter(rows.at(-1)?.id ?? 0))
    yield { rows, ids: rows.map(({ id }) => id) }
}

const hasNone = (table: string) => `not exists (select 1 from ${table} where passport_id = id)`

/** Adds the facets of listed passports that have none yet. */
async function fillFacets(connection: Connection): Promise<void> {
  for await (const { rows, ids } of listBatches(connection, `${IS_VISIBLE} and ${hasNone('facets')}`)) {
    const credentials = await mapCredentialRows(connection, ids)
    const facets = rows.map((row) => toFacetsRow(row, shownCredentialsOf(credentials.get(row.id))))
    await connection.insertRows('facets', facets)
  }
}

/** Adds the handles of passports that have none yet. */
async function fillHandles(connection: Connection): Promise<void> {
  for await (const { rows, ids } of listBatches(connection, hasNone('handles'))) {
    const credentials = await mapCredentialRows(connection, ids)
    const points = await mapDataPoints(connection, ids)
    const handles = rows.flatMap(({ id, socials }) =>
      handlesOf(JSON.parse(socials), points.get(id) ?? [], fromCredentialsRow(credentials.get(id))).map(
        (handle) => ({ handle, passport_id: id }),
      ),
    )
    await connection.insertRows('handles', handles)
  }
}
