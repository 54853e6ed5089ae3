import { constants, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ApiKey } from '../../core/store/api-key.ts'
import { readOnlyError } from '../../core/store/database/postgres/connection/errors.ts'
import { openPool } from '../../core/store/database/postgres/connection/pool.ts'
import { checkVersion } from '../../core/store/database/postgres/migrate.ts'
import { connectReader, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import { createConnection } from '../../core/store/database/sqlite/database.ts'
import { listDamage } from '../../core/store/database/sqlite/find-damage.ts'
import { versionOf } from '../../core/store/database/sqlite/schema.ts'
import { refuseDeletedWal } from '../../core/store/database/sqlite/wal-checks.ts'
import type { DatabaseAddress } from '../../core/store/database-address.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import { findNumber, type Query } from '../../core/store/sql/connection.ts'
import { listKeys } from '../../core/store/sql/keys.ts'
import { STALE_COUNT } from '../../core/store/sql/scoring.ts'

/** The state of a database, read without changing it. */
export type Diagnostics = {
  /** 0 if the database has no tables of passportd yet. */
  schema: number
  /** The schema number that this program needs. */
  knownSchema: number
  damage?: string[]
  contents?: DatabaseContents
}

export type DatabaseContents = {
  passports: number
  stale: number
  unscorable: number
  /** Passports that are still stale after a short wait. */
  stillStale: number
  keys: ApiKey[]
}

/** `full` also compares indexes with their tables. Throws `unavailable` if the database cannot be read. */
export const diagnose = (address: DatabaseAddress, full: boolean) =>
  address.engine === 'sqlite' ? diagnoseSqlite(address.path, full) : diagnosePostgres(address.url)

/** The wait before stale passports are counted again, to detect a running scorer. */
const RECHECK_DELAY = 1500

async function readContents(query: Query): Promise<DatabaseContents> {
  const [counts] = (await query(PASSPORT_COUNTS)) as [Omit<DatabaseContents, 'stillStale' | 'keys'>]
  if (counts.stale > 0) await Bun.sleep(RECHECK_DELAY)
  return { ...counts, stillStale: await findNumber(query, STALE_COUNT), keys: await listKeys(query) }
}

const PASSPORT_COUNTS = `select count(*) as passports, count(case when stale = 1 then 1 end) as stale,
  count(case when stale = 2 then 1 end) as unscorable from passports`

async function diagnoseSqlite(path: string, full: boolean): Promise<Diagnostics> {
  const hasWal = () => existsSync(`${path}-wal`)
  if (hasWal()) return diagnoseFile(path, connectReader, full)
  refuseDeletedWal(path)
  const result = diagnoseFile(path, connectUnused, full)
  // An error is not thrown yet: the file may have to be read again.
  await result.catch(() => undefined)
  // If there is a WAL now, a process has opened the file meanwhile, and the first result may be wrong.
  return hasWal() ? diagnoseFile(path, connectReader, full) : result
}

const diagnoseFile = (path: string, connect: (path: string) => Database, full: boolean) =>
  translateErrors(path, async (): Promise<Diagnostics> => {
    using database = connect(path)
    const schema = versionOf(database)
    const damage = listDamage(database, full ? 'integrity_check' : 'quick_check')
    const result = { schema, knownSchema: SCHEMA, damage }
    if (schema !== SCHEMA) return result
    return { ...result, contents: await readContents(createConnection(path, database).query) }
  })

/** Opens a database that no other process has open. Without `immutable`, a WAL would be created beside it. */
function connectUnused(path: string): Database {
  const { href } = pathToFileURL(resolve(path))
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
}

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

async function diagnosePostgres(url: string): Promise<Diagnostics> {
  await using pool = openPool(url, OPTIONS)
  if (!(await pool.ping()).writes) throw readOnlyError(pool.name)
  await checkPooler(url)
  const schema = await checkVersion(pool.read, pool.name)
  const result = { schema, knownSchema: SCHEMA }
  return schema === SCHEMA ? { ...result, contents: await readContents(pool.readLong) } : result
}

/** Throws if a pooler gives another client this connection, which has a prepared statement of the same name. */
async function checkPooler(url: string): Promise<void> {
  await using first = openPool(url, OPTIONS)
  await using second = openPool(url, OPTIONS)
  for (const { read } of [first, second]) await read('select $1::integer as pooler', [1])
}

export async function findReplicaSchema(url: string): Promise<number> {
  await using replica = openPool(url, { ...OPTIONS, isForReads: true })
  return await checkVersion(replica.read, replica.name)
}
