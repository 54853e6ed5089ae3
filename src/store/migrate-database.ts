import type { DatabaseAddress } from '../config/database-address.ts'
import type { OnProgress } from './migrations/schema-version.ts'
import { openPrimary } from './postgres/connection/primary.ts'
import { SCHEMA as POSTGRES_SCHEMA, prepareSchema as preparePostgres } from './postgres/migrate.ts'
import { connectWriter, openChecked } from './sqlite/connection/connect.ts'
import { createFileGuard } from './sqlite/connection/file-guard.ts'
import { prepareSchema as prepareSqlite, SCHEMA as SQLITE_SCHEMA } from './sqlite/migrate.ts'

/** Returns the schema before and after. Throws `unavailable` with a sentence. */
export async function migrateDatabase(
  address: DatabaseAddress,
  onProgress: OnProgress,
): Promise<{ from: number; to: number }> {
  return address.engine === 'sqlite'
    ? { from: migrateSqlite(address.path, onProgress), to: SQLITE_SCHEMA }
    : { from: await migratePostgres(address.url, onProgress), to: POSTGRES_SCHEMA }
}

function migrateSqlite(path: string, onProgress: OnProgress): number {
  return openChecked(path, () => {
    const writer = connectWriter(path, false)
    const checkFiles = createFileGuard(path, writer)
    try {
      const version = prepareSqlite(writer, true, onProgress)
      checkFiles()
      return version
    } finally {
      writer.close()
    }
  })
}

async function migratePostgres(url: string, onProgress: OnProgress): Promise<number> {
  const pool = openPrimary(url, { connections: 1, responseTimeout: 30_000 })
  try {
    return await preparePostgres(pool, { mode: true, onProgress })
  } finally {
    await pool.close()
  }
}
