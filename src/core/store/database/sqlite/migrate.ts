import { Database } from 'bun:sqlite'
import { chmodSync, chownSync, existsSync, linkSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { unavailable } from '../../../basics/errors.ts'
import { size } from '../../../basics/text/counts-and-sizes.ts'
import { createPartial, fileIdentity, flush } from '../../../basics/write-atomically.ts'
import { convert } from '../../migrations/convert.ts'
import {
  createLog,
  createReport,
  lacksTables,
  type MigrationMode,
  type OnNotice,
  OutdatedError,
  SCHEMA,
  TABLES,
} from '../../schema.ts'
import { listTables } from '../../sql/tables.ts'
import { connectWriter, isBusy, runWhenFree, throwTranslated } from './connect.ts'
import { createConnection, inTransaction, translate } from './database.ts'
import { isDamage } from './find-damage.ts'
import { APPLICATION_ID, pathOfFile, versionOf } from './schema.ts'

type OpenWriter = { create: boolean; mode: MigrationMode; onNotice: OnNotice }

/** Opens the connection that writes. Creates or migrates tables if `mode` allows it. Returns the old schema, too. */
export async function openWriter(path: string, { create, mode, onNotice }: OpenWriter) {
  let version = SCHEMA
  const file = await connectWriter(path, create).catch(async (error) => {
    if (!(error instanceof OutdatedError) || mode !== true) throw error
    version = error.version
    await migrateFile(path, version, onNotice)
    return connectWriter(path, create)
  })
  try {
    if (versionOf(file) === 0) {
      version = 0
      await createAll(file, mode)
    }
    return { file, version }
  } catch (error) {
    file.close()
    throw error
  }
}

async function createAll(file: Database, mode: MigrationMode): Promise<void> {
  const name = pathOfFile(file)
  if (mode === false) throw lacksTables(name)
  await inTransaction(file, 'begin immediate', async () => {
    // Another process may have created the tables.
    if (versionOf(file) > 0) return
    file.run(translate(TABLES))
    await createLog(createConnection(name, file).query)
    setVersion(file)
  })
}

function setVersion(file: Database): void {
  file.run(`pragma application_id = ${APPLICATION_ID}`)
  file.run(`pragma user_version = ${SCHEMA}`)
}

/** Writes a new file beside an older database, then renames both. If the process is killed, one of them is in place. */
async function migrateFile(name: string, version: number, onNotice: OnNotice): Promise<void> {
  // The target of a symbolic link is replaced, not the link.
  const path = realpathSync(name)
  const opened = fileIdentity(path)
  using file = new Database(path, { readwrite: true, strict: true })
  // Waits for another process that migrates the database.
  await lockFile(path, file, Number.POSITIVE_INFINITY)
  // It has replaced the file.
  if (fileIdentity(path) !== opened) return
  refuseFullDisk(path, file)
  const report = createReport(path, version, onNotice)
  const { mode, uid, gid } = statSync(path)
  const partial = `${path}.migrating`
  const { confirm, commit, cancel } = createPartial(partial, path)
  try {
    await convertFile(path, partial, report)
    chmodSync(partial, mode & 0o777)
    if (process.getuid?.() === 0) chownSync(partial, uid, gid)
    confirm()
    keepOldFile(path)
    commit()
  } catch (error) {
    cancel()
    throw error
  }
}

/** How long to wait for a command that is about to end. */
const OTHER_WAIT = 1000

/** Copies the WAL to the database and removes it. Then keeps others from writing until the file is closed. */
export async function lockFile(path: string, file: Database, wait = OTHER_WAIT): Promise<void> {
  try {
    await runWhenFree(file, 'pragma journal_mode = delete', OTHER_WAIT)
    await runWhenFree(file, 'begin immediate', wait)
    const mode = file.query<{ journal_mode: string }, []>('pragma journal_mode').get()?.journal_mode
    // Another process may have switched to WAL again before the lock.
    if (mode === 'delete') return
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  throw unavailable(`${path} is in use: stop the service and every other process that uses it first.`)
}

/** The pages in use are an upper bound: the new file is smaller. */
function refuseFullDisk(path: string, file: Database): void {
  const numberOf = (name: string) => Object.values(file.query(`pragma ${name}`).get() as object)[0] as number
  const needed = numberOf('page_size') * (numberOf('page_count') - numberOf('freelist_count'))
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  if (free >= needed) return
  throw unavailable(
    `The migration of ${path} needs about ${size(needed)} of free disk space, but ${dirname(path)} has ${size(free)}: free some space, or move the database to another disk.`,
  )
}

/** The new file is not in use until it is complete, so it needs no journal. */
const SETTINGS = ['journal_mode = off', 'synchronous = off', 'cache_size = -100000', 'temp_store = memory']

/** Writes the contents of a database with an older schema to an empty file. */
export async function convertFile(from: string, to: string, onProgress: (share: number) => void) {
  try {
    using old = new Database(from, { readonly: true })
    using file = new Database(to, { readwrite: true, strict: true })
    for (const setting of SETTINGS) file.run(`pragma ${setting}`)
    file.query('attach ? as old').run(from)
    const oldTables = await listTables(createConnection(from, old))
    await inTransaction(file, 'begin', async () => {
      file.run(translate(TABLES))
      await convert({ connection: createConnection(to, file), old: 'old.', oldTables, onProgress })
      setVersion(file)
    })
  } catch (error) {
    // Only the old file can be damaged, because the other one is new.
    throwTranslated(isDamage(error) ? from : to, error)
  }
}

/** Gives the old file a second name. A killed migration may have done so already. */
function keepOldFile(path: string): void {
  for (let number = 1; ; number++) {
    const kept = `${path}.before-${SCHEMA}${number === 1 ? '' : `-${number}`}`
    if (fileIdentity(kept) === fileIdentity(path)) return
    if (existsSync(kept)) continue
    linkSync(path, kept)
    flush(dirname(path))
    return
  }
}
