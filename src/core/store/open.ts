import type { PoolOptions } from './database/postgres/connection/connect.ts'
import { migratePostgres } from './database/postgres/migrate.ts'
import { openPostgres } from './database/postgres/open.ts'
import { findFileDamage } from './database/sqlite/find-damage.ts'
import { migrateSqlite, openSqlite } from './database/sqlite/open.ts'
import type { DatabaseAddress } from './database-address.ts'
import type { MigrationMode, OnNotice } from './schema.ts'
import type { Store } from './store.ts'

type OpenOptions = Partial<PoolOptions> & {
  /** Creates a missing file (SQLite). */
  create?: boolean
  /** `true` by default. An outdated database is refused if this does not allow its migration. */
  migrate?: MigrationMode
}

/** `serve` waits for a slow database, but a request must get its 503 within ten seconds. */
export const SERVE_TIMEOUT = { responseTimeout: 5000 }

/** Opens the database, and migrates it if `migrate` allows it. Throws `unavailable` with a message for the operator. */
export async function openStore(address: DatabaseAddress, options: OpenOptions = {}): Promise<Store> {
  return address.engine === 'sqlite' ? openSqlite(address.path, options) : openPostgres(address, options)
}

/** Returns the schema numbers before and after the migration. Throws `unavailable` with a message for the operator. */
export async function migrateDatabase(address: DatabaseAddress, onNotice?: OnNotice) {
  return address.engine === 'sqlite'
    ? migrateSqlite(address.path, onNotice)
    : migratePostgres(address.url, onNotice)
}

/** Reads the SQLite file and returns the first problems. Returns none on PostgreSQL, which has its own tools. */
export const findDamage = (address: DatabaseAddress): string[] =>
  address.engine === 'sqlite' ? findFileDamage(address.path) : []
