import { constants, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectReader, throwTranslated, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import { createConnection } from '../../core/store/database/sqlite/database.ts'
import { SCHEMA, versionOf } from '../../core/store/database/sqlite/migrate.ts'
import { refuseDeletedWal } from '../../core/store/database/sqlite/wal-checks.ts'
import { isDamage, listDamage } from '../backup/backup.ts'
import { type Diagnostics, LAST_REMOVAL, type Remains, readContents } from './statements.ts'

export async function diagnoseSqlite(path: string, full: boolean): Promise<Diagnostics> {
  const hasWal = () => existsSync(`${path}-wal`)
  if (hasWal()) return diagnoseFile(path, connectReader, full)
  refuseDeletedWal(path)
  const result = diagnoseFile(path, connectUnused, full)
  // An error is not thrown yet: the file may have to be read again.
  await result.catch(() => undefined)
  // If there is a WAL now, a process has opened the file meanwhile, and the first result may be wrong.
  return hasWal() ? diagnoseFile(path, connectReader, full) : result
}

function diagnoseFile(
  path: string,
  connect: (path: string) => Database,
  full: boolean,
): Promise<Diagnostics> {
  return translateErrors(path, async () => {
    using database = connect(path)
    const schema = versionOf(database)
    return {
      schema,
      knownSchema: SCHEMA,
      damage: listDamage(database, full ? 'integrity_check' : 'quick_check'),
      ...(schema === SCHEMA && { contents: await readContents(createConnection(path, database).query) }),
    }
  })
}

export const findSqliteRemains = (path: string): Remains =>
  translateErrors(path, () => {
    using database = connectReader(path)
    const last = database.query<{ time: number | null }, []>(LAST_REMOVAL).get()
    return { removedAt: last?.time ?? undefined, left: [] }
  })

/** Opens a database that no other process has open. Without `immutable`, a WAL would be created beside it. */
function connectUnused(path: string): Database {
  const { href } = pathToFileURL(resolve(path))
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
}

/** Checks each table in its own read transaction, so that the WAL can be checkpointed. Returns the first problems. */
export function findTableDamage(path: string): string[] {
  using database = connectReader(path)
  // Without memory mapping, an unreadable part of the disk is an error instead of a crash.
  database.run('pragma mmap_size = 0')
  try {
    const tables = database
      .query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`)
      .all()
    for (const { name } of tables) {
      const problems = listDamage(database, 'quick_check', name)
      if (problems.length > 0) return problems
    }
    return []
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message]
    return throwTranslated(path, error)
  }
}
