import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { size } from '../../domain/format.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Less is gone in minutes. */
const LEAST_FREE = 200_000_000

/** Writers keep it below a tenth of this, unless somebody reads on and on. */
const LARGE_LOG = 500_000_000

/** The database's file, and those beside it. */
export function examineFiles(path: string): { isThere: boolean; findings: Finding[] } {
  const folder = dirname(path)
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) {
    const text = `There is no file ${path} yet: "serve", "import" or "restore" makes it. If it should be there, look at DATABASE_URL and the working directory.`
    return { isThere: false, findings: [problem('database', text), ...examineFolder(folder)] }
  }
  if (!file.isFile()) return { isThere: false, findings: [problem('database', `${path} is not a file.`)] }
  const beside = listBeside(path)
  const all = [{ path, file }, ...beside]
  return {
    isThere: file.size > 0,
    findings: [
      ...(file.size > 0
        ? []
        : [warning('database', `${path} is empty: "serve" or "import" makes tables in it.`)]),
      ...examineFolder(folder),
      ...examineRights(all),
      ...examineLog(beside),
      ...examineSpace(folder, all),
    ],
  }
}

type Found = { path: string; file: Stats }

function listBeside(path: string): Found[] {
  const prefix = `${basename(path)}-`
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^(wal|shm)$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(path), name))
    .flatMap((each) => {
      const file = statSync(each, { throwIfNoEntry: false })
      return file ? [{ path: each, file }] : []
    })
}

function examineFolder(folder: string): Finding[] {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) return [ok('rights', `The folder ${folder} is made at the first start.`)]
  if (!mayWrite(folder))
    return [
      problem(
        'rights',
        `This user may not write to the folder ${folder}, where SQLite keeps its log: chown or chmod it.`,
      ),
    ]
  if ((stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0)
    return [warning('rights', `Everybody may write to the folder ${folder}: chmod o-w ${folder}.`)]
  return []
}

function examineRights(all: readonly Found[]): Finding[] {
  const findings: Finding[] = []
  const owner = all[0]?.file.uid
  for (const { path, file } of all) {
    if (!mayWrite(path))
      findings.push(problem('rights', `This user may not write to ${path}: run as its owner, or chown it.`))
    if ((file.mode & 0o077) !== 0)
      findings.push(warning('rights', `Others than its owner may read or write ${path}: chmod 600 ${path}.`))
    if (file.uid !== owner)
      findings.push(
        warning(
          'rights',
          `${path} belongs to another user than the database: chown it to the one that serves.`,
        ),
      )
  }
  const me = process.getuid?.()
  if (owner !== undefined && me !== undefined && owner !== me)
    findings.push(
      warning(
        'rights',
        `${all[0]?.path} belongs to user ${owner}, and this is user ${me}: run commands as the user that serves.`,
      ),
    )
  return findings.length > 0
    ? findings
    : [ok('rights', 'The files can be read and written by their owner alone.')]
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

function examineLog(beside: readonly Found[]): Finding[] {
  const log = beside.find(({ path }) => path.endsWith('-wal'))
  if (!log || log.file.size < LARGE_LOG) return []
  return [
    warning(
      'log',
      `The log of writes ${log.path} has ${size(log.file.size)}: something reads on and on, such as a backup or another program. It shrinks after that has ended.`,
    ),
  ]
}

function examineSpace(folder: string, all: readonly Found[]): Finding[] {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const used = all.reduce((sum, { file }) => sum + file.size, 0)
  const bytes = all[0]?.file.size ?? 0
  const told = `${size(free)} are free in ${folder}; the database has ${size(bytes)}, with the files beside it ${size(used)}`
  if (free < LEAST_FREE) return [problem('space', `${told}: nothing can be written soon. Make room.`)]
  if (free < used)
    return [
      warning(
        'space',
        `${told}: too little for a backup or a restore. Make room, or back up to another disk.`,
      ),
    ]
  return [ok('space', `${told}.`)]
}
