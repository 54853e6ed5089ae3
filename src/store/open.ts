import type { DatabaseAddress } from '../config/database-address.ts'
import type { MigrationMode } from './migrations/schema-version.ts'
import { openPostgres } from './postgres/open.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Store } from './store.ts'

type OpenOptions = {
  /** Creates a missing file (SQLite). */
  create?: boolean
  /** By default an outdated database is migrated; otherwise it is refused. */
  migrate?: MigrationMode
  /** Connections for short statements (PostgreSQL). */
  connections?: number
  /** Milliseconds without any response after which a server counts as unavailable. */
  responseTimeout?: number
  onMigrate?: (done: number, total: number) => void
  /** Reports that a server is unavailable or slow, and that it has recovered. */
  onNotice?: (sentence: string) => void
}

/** For `serve`: a slow database is waited for; a request must get its 503 within ten seconds. */
export const SERVE_TIMEOUT = { responseTimeout: 5000 }

/** Opens the database and migrates it, unless `migrate` is false. Throws `unavailable` with a message for the operator. */
export async function openStore(address: DatabaseAddress, options: OpenOptions = {}): Promise<Store> {
  return address.engine === 'sqlite' ? openSqlite(address.path, options) : openPostgres(address, options)
}
