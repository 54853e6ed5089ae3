import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { size } from '../../domain/text/counts-and-sizes.ts'
import { orphanedWalProblem } from '../../store/sqlite/wal-checks.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'

/** Below this the service does not try to write. */
const LEAST_FREE = 1024 * 1024

type Found = { path: string; file: Stats }

const find = (path: string): Found[] => {
  const file = statSync(path, { throwIfNoEntry: false })
  return file ? [{ path, file }] : []
}

/** Checks the database file and the files next to it. A problem or warning about the database means that it cannot be read. */
export function checkFiles(path: string): CheckResult[] {
  const folder = dirname(path)
  const [database] = find(path)
  const unusable = orphanedWalProblem(path) ?? (database ? undefined : noFile(path))
  if (!database || unusable !== undefined)
    return [problem('database', unusable ?? ''), ...checkFolder(folder)]
  if (!database.file.isFile()) return [problem('database', `${path} is not a file.`)]
  const wal = find(`${path}-wal`)
  const results = [
    ...checkFolder(folder),
    ...checkRights([database, ...wal, ...find(`${path}-shm`)]),
    checkSpace(folder, freeBytes(folder), { database: database.file.size, wal: wal[0]?.file.size ?? 0 }),
  ]
  if (database.file.size > 0) return results
  return [warning('database', `${path} is empty: "serve" or "import" creates its tables.`), ...results]
}

const noFile = (path: string) =>
  `There is no file ${path}: "serve", "import" or "restore" creates it. If it should exist, check DATABASE_URL and the working directory.`

function* checkFolder(folder: string) {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) yield ok('rights', `The first start creates the folder ${folder}.`)
  else if (!canWrite(folder))
    yield problem(
      'rights',
      `This user cannot write to the folder ${folder}, but SQLite must: chown or chmod it.`,
    )
  else if ((stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0)
    yield warning('rights', `Every user can write to the folder ${folder}: chmod o-w ${folder}.`)
}

function checkRights(all: readonly Found[]): CheckResult[] {
  const results: CheckResult[] = []
  const user = process.getuid?.()
  for (const { path, file } of all) {
    if (!canWrite(path))
      results.push(problem('rights', `This user cannot write to ${path}: run as its owner, or chown it.`))
    if ((file.mode & 0o077) !== 0)
      results.push(warning('rights', `Other users can read or write ${path}: chmod 600 ${path}.`))
    const owners = `${path} belongs to user ${file.uid}, but this is user ${user}`
    if (user !== undefined && file.uid !== user)
      results.push(warning('rights', `${owners}: run the service and commands as the owner.`))
  }
  return results.length > 0 ? results : [ok('rights', 'Only the owner can read and write the files.')]
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    // The exception is the answer.
    return false
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

type Sizes = { database: number; wal: number }

/** A checkpoint may append the whole WAL to the database, and a tenth leaves time to react. */
export function checkSpace(folder: string, free: number, { database, wal }: Sizes): CheckResult {
  const used = database + wal
  const sizes = `${size(free)} are free in ${folder}; the database and its WAL use ${size(used)}`
  if (free < LEAST_FREE + wal + database / 10)
    return problem('space', `${sizes}: writes will fail soon. Free some space.`)
  if (free < used)
    return warning('space', `${sizes}: too little for a backup or restore. Free space, or use another disk.`)
  return ok('space', `${sizes}.`)
}
