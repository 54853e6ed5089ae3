import { Database } from 'bun:sqlite'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { unavailable } from '../../domain/errors.ts'
import { backUp, type Contents, removeWithJournal } from './backup.ts'
import { make, makeFolder, translateErrors } from './connect.ts'

export type BackupSchedule = { folder: string; every: number; keep: number }

type Options = BackupSchedule & { now: () => number }

type Written = Contents & { file: string; removed: number }

/** Backups of one database in a folder. `id` is the id of the database, because several may use the same folder. */
export function createScheduledBackups(path: string, id: string, { folder, every, keep, now }: Options) {
  const prefix = `passportd-${id.slice(0, 8)}`
  // Always the same name, so that the message of a repeated failure stays the same.
  const partial = join(folder, `${prefix}.part`)

  /** Our files, newest first. */
  const list = () =>
    readdirSync(folder)
      .map((name) => ({
        name,
        time: name.startsWith(prefix) ? timeIn(name.slice(prefix.length)) : Number.NaN,
      }))
      .filter(({ time }) => !Number.isNaN(time))
      .sort((one, other) => other.time - one.time)

  /** Epoch milliseconds; 0 if there is none. Ignores times in the future, which a wrong clock has left. */
  const newest = () => list().find(({ time }) => time <= now())?.time ?? 0

  function write(): Written {
    const name = `${prefix}${suffixOf(now())}`
    const contents = backUp(path, join(folder, name), partial)
    const others = list().filter((file) => file.name !== name)
    const removed = others.slice(keep - 1)
    for (const file of removed) rmSync(join(folder, file.name), { force: true })
    return { ...contents, file: join(folder, name), removed: removed.length }
  }

  return {
    newest,
    /** Writes a backup if one is due and no other process is writing one. Then removes the oldest backups. */
    writeDue(): Written | undefined {
      makeBackupFolder(folder)
      return translateFileErrors(folder, () => {
        using lock = tryLock(join(folder, `${prefix}.lock`))
        if (!lock) return undefined
        // A killed process may have left the file.
        removeWithJournal(partial)
        return now() - newest() < every ? undefined : write()
      })
    },
  }
}

export const makeBackupFolder = (folder: string) =>
  make(`The folder ${folder} (BACKUP_DIR)`, () => makeFolder(folder))

/** The end of a name: `-2026-01-31T12-00-00Z.db`. */
const suffixOf = (time: number) => `-${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`

/** NaN if we did not write the name. */
function timeIn(suffix: string): number {
  const [, day, ...clock] = /^-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.db$/.exec(suffix) ?? []
  return Date.parse(`${day}${clock.join(':')}Z`)
}

/** Returns `undefined` if another process has the lock. The lock of a killed process ends with it. */
function tryLock(file: string): Database | undefined {
  return translateErrors(file, () => {
    const database = new Database(file, { create: true, readwrite: true })
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

/** Errors of the file system become `unavailable`. */
function translateFileErrors<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw unavailable(`${folder} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}
