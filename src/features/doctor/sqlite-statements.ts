import { constants, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectReader, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import { createConnection } from '../../core/store/database/sqlite/database.ts'
import { listDamage } from '../../core/store/database/sqlite/find-damage.ts'
import { versionOf } from '../../core/store/database/sqlite/schema.ts'
import { refuseDeletedWal } from '../../core/store/database/sqlite/wal-checks.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import { type Diagnostics, readContents } from './statements.ts'

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

/** Opens a database that no other process has open. Without `immutable`, a WAL would be created beside it. */
function connectUnused(path: string): Database {
  const { href } = pathToFileURL(resolve(path))
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
}
