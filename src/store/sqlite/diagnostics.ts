import { constants, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DatabaseContents, Diagnostics } from '../diagnostics.ts'
import {
  PASSPORT_COUNTS,
  type PassportCounts,
  STALE_COUNT,
  STALE_RECHECK_MILLISECONDS,
} from '../rows/counts.ts'
import { listDamage } from './backup/backup.ts'
import { connectReader, throwTranslated, withTranslatedErrors } from './connect.ts'
import { createCopying } from './copy-tables.ts'
import { createKeys } from './keys.ts'
import { checkOwner, identify, SCHEMA } from './migrate/migrate.ts'
import { createRetirement } from './settings.ts'

export async function diagnoseSqlite(path: string, full: boolean): Promise<Diagnostics> {
  const isUsed = () => existsSync(`${path}-wal`)
  if (isUsed()) return examineFile(path, connectReader, full)
  const examined = examineFile(path, connectUnused, full)
  await examined.catch(() => undefined)
  // What was read without the log of somebody who came meanwhile may be wrong.
  return isUsed() ? examineFile(path, connectReader, full) : examined
}

async function examineFile(
  path: string,
  connect: (path: string) => Database,
  full: boolean,
): Promise<Diagnostics> {
  const database = withTranslatedErrors(path, () => connect(path))
  try {
    checkOwner(database)
    const { version } = identify(database)
    return {
      schema: version,
      knownSchema: SCHEMA,
      damage: listDamage(database, full ? 'integrity_check' : 'quick_check'),
      ...(version === SCHEMA && { contents: await readContents(database) }),
    }
  } catch (error) {
    return throwTranslated(path, error)
  } finally {
    database.close()
  }
}

/** Of a database that nobody has open. Any other way of reading leaves a log of writes beside it. */
function connectUnused(path: string): Database {
  const { href } = pathToFileURL(resolve(path))
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
}

async function readContents(database: Database): Promise<DatabaseContents> {
  // None of them is told to write.
  const connections = { reader: database, writer: database }
  const counts = database.query<PassportCounts, []>(PASSPORT_COUNTS).get() as PassportCounts
  if (counts.stale > 0) await Bun.sleep(STALE_RECHECK_MILLISECONDS)
  return {
    ...counts,
    stillStale: database.query<{ count: number }, []>(STALE_COUNT).get()?.count ?? 0,
    keys: createKeys(connections).list(),
    plan: createRetirement(connections).find(),
    copying: await createCopying(connections).find(),
  }
}
