import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { size } from '../../domain/text/format.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Less is gone in minutes. */
const LEAST_FREE = 200_000_000

/** Writers keep the WAL below a tenth of this, unless a reader does not end. */
const LARGE_WAL = 500_000_000

type Found = { path: string; file: Stats }

const find = (path: string): Found[] => {
  const file = statSync(path, { throwIfNoEntry: false })
  return file ? [{ path, file }] : []
}

/** The database's file, and those beside it. `isThere` tells whether it can be looked into. */
export function examineFiles(path: string): { isThere: boolean; findings: Finding[] } {
  const folder = dirname(path)
  const [database] = find(path)
  if (!database) {
    const text = `There is no file ${path} yet: "serve", "import" or "restore" makes it. If it should be there, look at DATABASE_URL and the working directory.`
    return { isThere: false, findings: [problem('database', text), ...examineFolder(folder)] }
  }
  if (!database.file.isFile())
    return { isThere: false, findings: [problem('database', `${path} is not a file.`)] }
  const wal = find(`${path}-wal`)
  const all = [database, ...wal, ...find(`${path}-shm`)]
  const findings = [
    ...examineFolder(folder),
    ...examineRights(all),
    ...examineWal(wal),
    examineSpace(folder, all),
  ]
  if (database.file.size > 0) return { isThere: true, findings }
  const empty = warning('database', `${path} is empty: "serve" or "import" makes tables in it.`)
  return { isThere: false, findings: [empty, ...findings] }
}

function* examineFolder(folder: string) {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) yield ok('rights', `The folder ${folder} is made at the first start.`)
  else if (!mayWrite(folder))
    yield problem(
      'rights',
      `This user may not write to the folder ${folder}, as SQLite must: chown or chmod it.`,
    )
  else if ((stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0)
    yield warning('rights', `Everybody may write to the folder ${folder}: chmod o-w ${folder}.`)
}

function examineRights(all: readonly Found[]): Finding[] {
  const findings: Finding[] = []
  const user = process.getuid?.()
  for (const { path, file } of all) {
    if (!mayWrite(path))
      findings.push(problem('rights', `This user may not write to ${path}: run as its owner, or chown it.`))
    if ((file.mode & 0o077) !== 0)
      findings.push(warning('rights', `Others than its owner may read or write ${path}: chmod 600 ${path}.`))
    const owners = `${path} belongs to user ${file.uid}, and this is user ${user}`
    if (user !== undefined && file.uid !== user)
      findings.push(warning('rights', `${owners}: run commands as the user that serves, who must own it.`))
  }
  if (findings.length > 0) return findings
  return [ok('rights', 'The files can be read and written by their owner alone.')]
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

function* examineWal(wal: readonly Found[]) {
  for (const { path, file } of wal) {
    const text = `The WAL ${path} has ${size(file.size)}: a backup or another program reads without end.`
    if (file.size >= LARGE_WAL) yield warning('log', `${text} It shrinks after that has ended.`)
  }
}

function examineSpace(folder: string, all: readonly Found[]): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const used = all.reduce((sum, { file }) => sum + file.size, 0)
  const sizes = `${size(free)} are free in ${folder}; the database and the files beside it have ${size(used)}`
  if (free < LEAST_FREE) return problem('space', `${sizes}: nothing can be written soon. Free some space.`)
  if (free < used)
    return warning('space', `${sizes}: too little for a backup or a restore. Free some, or use another disk.`)
  return ok('space', `${sizes}.`)
}
