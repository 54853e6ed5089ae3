import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseAddress } from '../../config/database-address.ts'
import { size } from '../../domain/text/format.ts'
import type { Diagnostics } from '../../store/sql/diagnostics.ts'
import { orphanedWalProblem } from '../../store/sqlite/connection/connect.ts'
import { migrationSpaceProblem } from '../../store/sqlite/migrate.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Below this the service does not try to write. */
const LEAST_FREE = 1024 * 1024

/** Checkpoints keep the WAL below a tenth of this, unless a reader blocks them. */
const LARGE_WAL = 500_000_000

type Found = { path: string; file: Stats }

const find = (path: string): Found[] => {
  const file = statSync(path, { throwIfNoEntry: false })
  return file ? [{ path, file }] : []
}

/** Checks the database file and the files next to it. `isReadable` is false for a missing or empty database. */
export function examineFiles(path: string): { isReadable: boolean; findings: Finding[] } {
  const folder = dirname(path)
  const [database] = find(path)
  const orphanedWal = orphanedWalProblem(path)
  if (orphanedWal !== undefined)
    return { isReadable: false, findings: [problem('database', orphanedWal), ...examineFolder(folder)] }
  if (!database) {
    const text = `There is no file ${path}: "serve", "import" or "restore" creates it. If it should exist, check DATABASE_URL and the working directory.`
    return { isReadable: false, findings: [problem('database', text), ...examineFolder(folder)] }
  }
  if (!database.file.isFile())
    return { isReadable: false, findings: [problem('database', `${path} is not a file.`)] }
  const wal = find(`${path}-wal`)
  const all = [database, ...wal, ...find(`${path}-shm`)]
  const findings = [
    ...examineFolder(folder),
    ...examineRights(all),
    ...examineWal(wal),
    examineSpace(folder, freeBytes(folder), { database: database.file.size, wal: wal[0]?.file.size ?? 0 }),
  ]
  if (database.file.size > 0) return { isReadable: true, findings }
  const empty = warning('database', `${path} is empty: "serve" or "import" creates its tables.`)
  return { isReadable: false, findings: [empty, ...findings] }
}

function* examineFolder(folder: string) {
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

function examineRights(all: readonly Found[]): Finding[] {
  const findings: Finding[] = []
  const user = process.getuid?.()
  for (const { path, file } of all) {
    if (!canWrite(path))
      findings.push(problem('rights', `This user cannot write to ${path}: run as its owner, or chown it.`))
    if ((file.mode & 0o077) !== 0)
      findings.push(warning('rights', `Other users can read or write ${path}: chmod 600 ${path}.`))
    const owners = `${path} belongs to user ${file.uid}, but this is user ${user}`
    if (user !== undefined && file.uid !== user)
      findings.push(warning('rights', `${owners}: run the service and commands as the owner.`))
  }
  if (findings.length > 0) return findings
  return [ok('rights', 'Only the owner can read and write the files.')]
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

function* examineWal(wal: readonly Found[]) {
  for (const { path, file } of wal) {
    const text = `The WAL ${path} has ${size(file.size)}: a backup or another program blocks its checkpoint.`
    if (file.size >= LARGE_WAL) yield warning('log', `${text} The WAL shrinks when that program ends.`)
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

type Sizes = { database: number; wal: number }

/** A checkpoint may append the whole WAL to the database, and a tenth leaves time to react. */
export function examineSpace(folder: string, free: number, { database, wal }: Sizes): Finding {
  const used = database + wal
  const sizes = `${size(free)} are free in ${folder}; the database and its WAL use ${size(used)}`
  if (free < LEAST_FREE + wal + database / 10)
    return problem('space', `${sizes}: writes will fail soon. Free some space.`)
  if (free < used)
    return warning('space', `${sizes}: too little for a backup or restore. Free space, or use another disk.`)
  return ok('space', `${sizes}.`)
}

/** An older schema needs a migration, which needs free space. */
export function examineMigration(
  database: DatabaseAddress,
  { schema, knownSchema }: Pick<Diagnostics, 'schema' | 'knownSchema'>,
): Finding[] {
  if (database.engine !== 'sqlite' || schema >= knownSchema) return []
  const text = migrationSpaceProblem(database.path)
  return text === undefined ? [] : [problem('space', text)]
}
