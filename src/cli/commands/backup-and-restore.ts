import { statSync } from 'node:fs'
import { readConfig } from '../../config/config.ts'
import { nameDatabase } from '../../config/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, size } from '../../domain/text/counts-and-sizes.ts'
import { backUp, belongsToDatabase, type Contents } from '../../store/sqlite/backup.ts'
import { restore as restoreFile } from '../../store/sqlite/restore.ts'
import { orphanedWalProblem } from '../../store/sqlite/wal-checks.ts'
import { DATABASE_OPTIONS, defineCommand, type Terminal } from '../command.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'make a checked copy of the database, while it is in use',
  description: `FILE is one SQLite file with everything that was committed at one moment; only its owner may read it.
    For PostgreSQL, use the tools of PostgreSQL.`,
  options: { force: { about: 'replace FILE if it exists' }, ...DATABASE_OPTIONS },
  forms: [{ args: 'FILE' }],
  run({ values, args: [file = ''] }, terminal) {
    const path = findDatabase(file, values, terminal)
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && !found.isFile()) throw new CommandError(`${file} is not a file: choose another name.`)
    if (found && !values.force) throw new CommandError(`${file} exists already: --force replaces it.`)
    const orphanedWal = orphanedWalProblem(path)
    if (orphanedWal !== undefined) throw new CommandError(orphanedWal)
    if (!statSync(path, { throwIfNoEntry: false }))
      throw new CommandError(`There is no database ${path}: check DATABASE_URL and the working directory.`)
    const begin = terminal.now()
    const contents = backUp(path, file)
    terminal.out(`${path} is backed up to ${file}: ${describe(contents, terminal.now() - begin)}.\n`)
  },
})

export const restore = defineCommand({
  name: 'restore',
  summary: 'replace the database with a backup',
  description: `Stop the service first: a database in use is refused. FILE is copied, checked and migrated. The old
    database is kept next to it, and the command prints its name.`,
  options: { force: { about: 'replace a database that is not empty or is damaged' }, ...DATABASE_OPTIONS },
  forms: [{ args: 'FILE' }],
  run({ values, args: [file = ''] }, terminal) {
    const path = findDatabase(file, values, terminal)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      throw new CommandError(`There is no file ${file}.`)
    const [begin, force] = [terminal.now(), values.force === true]
    const { kept, ...contents } = restoreFile(file, path, { force, now: begin })
    terminal.out(`${path} is restored from ${file}: ${describe(contents, terminal.now() - begin)}.\n`)
    if (kept !== undefined) terminal.out(`The old database is kept as ${kept}.\n`)
  },
})

function findDatabase(file: string, values: { demo: true | undefined }, { env }: Terminal): string {
  const { database } = readConfig(env, values)
  if (database.engine === 'postgres') {
    throw new CommandError(
      `${nameDatabase(database)} is a PostgreSQL database: use its own tools, such as pg_dump. See "PostgreSQL" in docs/backup.md.`,
    )
  }
  const { path } = database
  if ([file, `${file}.part`].some((name) => belongsToDatabase(path, name)))
    throw new CommandError(`${file} belongs to the database ${path}: choose another file.`)
  return path
}

const describe = ({ passports, bytes }: Contents, milliseconds: number) =>
  `${count(passports, 'passport')}, ${size(bytes)}, all checked, in ${(milliseconds / 1000).toFixed(1)} s`
