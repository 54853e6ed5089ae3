import type { MigrationMode } from '../../schema.ts'
import { createStore, type Store } from '../../store.ts'
import type { PoolOptions } from './connection/connect.ts'
import { openPool } from './connection/pool.ts'
import { createDatabase } from './database.ts'
import { findSchema, preparePostgres } from './migrate.ts'

type Options = Partial<PoolOptions> & { migrate?: MigrationMode }

/** Commands need few connections, and should wait for a busy server. */
const FOR_COMMANDS: PoolOptions = { connections: 2, responseTimeout: 30_000 }

/** Migrates and opens the database. Throws `unavailable` with a message for the operator. */
export async function openPostgres(
  { url, readUrl }: { url: string; readUrl?: string | undefined },
  { migrate: mode = true, ...given }: Options = {},
): Promise<Store> {
  const options = { ...FOR_COMMANDS, ...given }
  const primary = openPool(url, options)
  const replica = readUrl === undefined ? primary : openPool(readUrl, { ...options, isForReads: true })
  const close = async () => void (await Promise.all([primary.close(), replica.close()]))
  try {
    await preparePostgres(url, primary, mode, given.onNotice)
  } catch (error) {
    await close()
    throw error
  }
  const { read } = primary
  const database = createDatabase(primary)
  const { long, snapshot } = createDatabase(replica)
  return createStore({
    database,
    reports: { ...database, long, snapshot },
    findSchema: () => findSchema(read),
    ping: primary.ping,
    close,
  })
}
