import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '../../config.ts'
import { nameDatabase } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, size } from '../../domain/text/format.ts'
import { backUp, belongsToDatabase, type Contents } from '../../store/sqlite/backup/backup.ts'
import { restore } from '../../store/sqlite/backup/restore.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = { ...DATABASE_OPTIONS, force: { type: 'boolean' } } as const

export async function backup(args: string[], terminal: Terminal): Promise<void> {
  const { path, file, force } = read('backup', args, terminal)
  const there = statSync(file, { throwIfNoEntry: false })
  if (there && !there.isFile()) throw new CommandError(`${file} is not a file: name one for the backup.`)
  if (there && !force) throw new CommandError(`${file} is there already: with --force it is replaced.`)
  if (!statSync(path, { throwIfNoEntry: false }))
    throw new CommandError(`There is no database ${path}: look at DATABASE_URL and the working directory.`)
  const begin = terminal.now()
  const contents = written(file, () => backUp(path, file))
  terminal.out(`${path} is backed up to ${file}: ${describe(contents, terminal.now() - begin)}.\n`)
}

export async function restoreCommand(args: string[], terminal: Terminal): Promise<void> {
  const { path, file, force } = read('restore', args, terminal)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new CommandError(`There is no file ${file}.`)
  const begin = terminal.now()
  const { kept, ...contents } = written(path, () => restore(file, path, { force, now: begin }))
  terminal.out(`${path} is restored from ${file}: ${describe(contents, terminal.now() - begin)}.\n`)
  if (kept !== undefined) terminal.out(`What was there before is kept as ${kept}.\n`)
}

function read(command: 'backup' | 'restore', args: string[], { env }: Terminal) {
  const { values, positionals } = parseOptions(command, args, OPTIONS, 1)
  const [file] = positionals
  if (!file) throw new UsageError(`Name the file of the backup: passportd ${command} FILE.`)
  const { database } = readConfig(env, values)
  if (database.engine === 'postgres') {
    throw new CommandError(
      `${nameDatabase(database)} is backed up and restored by PostgreSQL's own tools, such as pg_dump: see "PostgreSQL" in docs/backup.md.`,
    )
  }
  const { path } = database
  if ([file, `${file}.part`].some((name) => belongsToDatabase(path, name))) {
    throw new CommandError(`${file} belongs to the database ${path} itself: name another file.`)
  }
  return { path, file, force: values.force === true }
}

/** Failures of the file system are told in a sentence. */
function written<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException
    if (typeof syscall !== 'string') throw error
    const why = existsSync(dirname(file)) ? message : `there is no folder ${dirname(file)}`
    throw new CommandError(`${file} cannot be written: ${why}.`)
  }
}

const describe = ({ passports, credentials, bytes }: Contents, milliseconds: number) =>
  `${count(passports, 'passport')}, ${count(credentials, 'credential')}, ${size(bytes)}, all checked, in ${(milliseconds / 1000).toFixed(1)} s`
