import type { DatabaseAddress } from '../domain/database-address.ts'
import { openPostgres } from './postgres/open.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Store } from './store.ts'

type OpenOptions = {
  /** Whether a file that is not there is made. */
  create?: boolean
  /** Whether a database that is not up to date is changed; else it is refused. */
  migrate?: boolean
  /** Connections to a server for short statements. */
  connections?: number
  /** Milliseconds after which a server that has not answered counts as away. */
  responseTimeout?: number
  /** Told how many of all passports a migration has done. */
  onMigrate?: (done: number, total: number) => void
  /** Is told when a server goes away or something makes answers slower, and when that is over. */
  onNotice?: (sentence: string) => void
}

/** For those who serve: they must know soon that a server is away, to answer within two seconds. */
export const SERVE_TIMEOUT = { responseTimeout: 1000 }

/** Opens the database, bringing it up to date first unless told otherwise. Throws `unavailable` with a sentence. */
export async function openStore(address: DatabaseAddress, options: OpenOptions = {}): Promise<Store> {
  return address.engine === 'sqlite' ? openSqlite(address.path, options) : openPostgres(address, options)
}
