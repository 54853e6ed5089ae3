import { namePostgres } from '../../config/database-address.ts'
import { type Diagnostics, readContents } from '../sql/diagnostics.ts'
import { createPool } from './connection/health-checked-pool.ts'
import { checkWritable, openPrimary } from './connection/primary.ts'
import { checkVersion, SCHEMA } from './migrate.ts'

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

export async function diagnosePostgres(url: string): Promise<Diagnostics> {
  const name = namePostgres(url)
  const pool = openPrimary(url, OPTIONS)
  try {
    await checkWritable(pool)
    await checkPooler(url)
    const schema = await checkVersion(pool.query, name)
    const contents = schema === SCHEMA ? { contents: await readContents(pool.longQuery) } : {}
    return { schema, knownSchema: SCHEMA, ...contents }
  } finally {
    await pool.close()
  }
}

/**
 * Throws `unavailable` with the solution if a pooler gives the connection of one client to another. The first client's
 * prepared statements are then still on it, so that the second client's statement of the same name fails.
 */
async function checkPooler(url: string): Promise<void> {
  const clients = [openPrimary(url, OPTIONS), openPrimary(url, OPTIONS)]
  try {
    for (const { query } of clients) await query('select $1::integer as pooler', [1])
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}

/** Throws `unavailable` if the replica cannot be reached. */
export async function findReplicaSchema(url: string): Promise<number> {
  const replica = createPool(url, OPTIONS)
  try {
    return await checkVersion(replica.query, replica.name)
  } finally {
    await replica.close()
  }
}
