import { openPool } from '../../core/store/database/postgres/connection/pool.ts'
import { checkVersion, checkWritable } from '../../core/store/database/postgres/migrate.ts'
import { namePostgres } from '../../core/store/database-address.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import { type Diagnostics, readContents } from './statements.ts'

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

export async function diagnosePostgres(url: string): Promise<Diagnostics> {
  const name = namePostgres(url)
  await using pool = openPool(url, OPTIONS)
  await checkWritable(pool)
  await checkPooler(url)
  const schema = await checkVersion(pool.read, name)
  const contents = schema === SCHEMA ? { contents: await readContents(pool.readLong) } : {}
  return { schema, knownSchema: SCHEMA, ...contents }
}

/**
 * Throws `unavailable` with the solution if a pooler gives the connection of one client to another. The first client's
 * prepared statements are then still on it, so that the second client's statement of the same name fails.
 */
async function checkPooler(url: string): Promise<void> {
  await using first = openPool(url, OPTIONS)
  await using second = openPool(url, OPTIONS)
  for (const { read } of [first, second]) await read('select $1::integer as pooler', [1])
}

/** Throws `unavailable` if the replica cannot be reached. */
export async function findReplicaSchema(url: string): Promise<number> {
  await using replica = openPool(url, { ...OPTIONS, isForReads: true })
  return await checkVersion(replica.read, replica.name)
}
