import type { DatabaseAddress } from '../../core/store/database-address.ts'
import { diagnosePostgres } from './postgres-statements.ts'
import { diagnoseSqlite } from './sqlite-statements.ts'

/** `full` also compares indexes with their tables. Throws `unavailable` if the database cannot be read. */
export const diagnose = (address: DatabaseAddress, full: boolean) =>
  address.engine === 'sqlite' ? diagnoseSqlite(address.path, full) : diagnosePostgres(address.url)
