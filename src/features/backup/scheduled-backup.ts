import { Database } from 'bun:sqlite'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeWithJournal } from '../../core/basics/write-atomically.ts'
import { createOrFail, makeFolder, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import { backUp } from './backup.ts'

type Options = { folder: string; every: number; keep: number; now: () => number }

/**
 * Writes a backup if one is due and no other process is writing one. Then removes the oldest backups beyond `keep`.
 * Returns the time of the newest backup, 0 if there is none. Several databases, with different ids, may use one folder.
 */
export function writeDueBackup(path: string, id: string, { folder, every, keep, now }: Options) {
  const prefix = `passportd-${id.slice(0, 8)}`
  // Always the same name, so that the message of a repeated failure stays the same.
  const partial = join(folder, `${prefix}.part`)

  function write() {
    const begin = now()
    const file = `${prefix}-${new Date(begin).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
    const contents = backUp(path, join(folder, file), partial)
    const old = listBackups(folder, prefix).filter(({ name }) => name !== file)
    const removed = old.slice(keep - 1)
    for (const { name } of removed) rmSync(join(folder, name))
    return { ...contents, file: join(folder, file), removed: removed.length, milliseconds: now() - begin }
  }

  makeBackupFolder(folder)
  using lock = tryLock(join(folder, `${prefix}.lock`))
  // A killed process may have left the file.
  if (lock) removeWithJournal(partial)
  // A wrong clock may have left times in the future.
  const findNewest = () => listBackups(folder, prefix).find(({ time }) => time <= now())?.time ?? 0
  const written = lock && now() - findNewest() >= every ? write() : undefined
  return { written, newest: findNewest() }
}

export const makeBackupFolder = (folder: string) =>
  createOrFail(`The folder ${folder} (BACKUP_DIR)`, () => makeFolder(folder))

/** The backups that we named, newest first. */
function listBackups(folder: string, prefix: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(prefix))
    .map(({ name }) => ({ name, time: timeOfBackup(name.slice(prefix.length)) }))
    .filter(({ time }) => !Number.isNaN(time))
    .sort((one, other) => other.time - one.time)
}

/** Parses the end of a name, such as `-2026-01-31T12-00-00Z.db`. */
function timeOfBackup(text: string): number {
  const [, day, ...clock] = /^-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.db$/.exec(text) ?? []
  return Date.parse(`${day}${clock.join(':')}Z`)
}

/** Returns `undefined` if another process has the lock. The lock of a killed process ends with it. */
function tryLock(file: string): Database | undefined {
  return translateErrors(file, () => {
    // Other users may not open the file, because a lock of theirs would stop the backups.
    closeSync(openSync(file, 'a', 0o600))
    const database = new Database(file, { readwrite: true })
    try {
      // A killed process leaves no journal.
      database.run('pragma journal_mode = memory')
      database.run('begin exclusive')
      return database
    } catch (error) {
      database.close()
      if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
      throw error
    }
  })
}
