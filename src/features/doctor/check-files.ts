import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { size } from '../../core/basics/text/counts-and-sizes.ts'
import { canWrite, checkFolder } from '../../core/cli/check-folder.ts'
import { type CheckResult, ok, problem, warning } from '../../core/cli/check-result.ts'
import { orphanedWalProblem } from '../../core/store/database/sqlite/wal-checks.ts'

/** With less free space than this, the service does not try to write. */
const LEAST_FREE = 1024 * 1024

const statFile = (path: string) => statSync(path, { throwIfNoEntry: false })

/** Checks the database file and the files next to it. After a problem or warning about "database", it stays closed. */
export function checkFiles(path: string): CheckResult[] {
  const folder = dirname(path)
  const database = statFile(path)
  const noFile = `There is no file ${path}: "serve", "import" or "restore" creates it. If it should exist, check DATABASE_URL and the working directory.`
  const orphanedWal = orphanedWalProblem(path)
  if (!database || orphanedWal !== undefined)
    return [problem('database', orphanedWal ?? noFile), ...checkFolder(folder)]
  if (!database.isFile()) return [problem('database', `${path} is not a file.`)]
  const { bavail, bsize } = statfsSync(folder)
  const results = [
    ...checkFolder(folder),
    ...checkRights([path, `${path}-wal`, `${path}-shm`]),
    checkSpace(folder, bavail * bsize, database.size, statFile(`${path}-wal`)?.size ?? 0),
  ]
  if (database.size > 0) return results
  return [warning('database', `${path} is empty: "serve" or "import" creates its tables.`), ...results]
}

function checkRights(paths: readonly string[]): CheckResult[] {
  const results: CheckResult[] = []
  const user = process.getuid?.()
  for (const path of paths) {
    const file = statFile(path)
    if (!file) continue
    if (!canWrite(path))
      results.push(problem('rights', `This user cannot write to ${path}: run as its owner, or chown it.`))
    if ((file.mode & 0o077) !== 0)
      results.push(warning('rights', `Other users can read or write ${path}: chmod 600 ${path}.`))
    const owners = `${path} belongs to user ${file.uid}, but this is user ${user}`
    if (user !== undefined && file.uid !== user)
      results.push(warning('rights', `${owners}: run the service and commands as the owner.`))
  }
  return results.length > 0
    ? results
    : [ok('rights', 'Only the owner can read and write the files of the database.')]
}

/**
 * A checkpoint may append the whole WAL to the database. A tenth of the database is a reserve, which leaves time to
 * react.
 */
export function checkSpace(folder: string, free: number, database: number, wal: number): CheckResult {
  const used = database + wal
  const sizes = `${size(free)} are free in ${folder}; the database and its WAL use ${size(used)}`
  if (free < LEAST_FREE + wal + database / 10)
    return problem('space', `${sizes}: writes will fail soon. Free some space.`)
  if (free < used)
    return warning('space', `${sizes}: too little for a backup or restore. Free space, or use another disk.`)
  return ok('space', `${sizes}.`)
}
