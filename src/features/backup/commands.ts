import { existsSync, statSync } from 'node:fs'
import { CommandError } from '../../core/basics/errors.ts'
import { count, size } from '../../core/basics/text/counts-and-sizes.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { replaceFile } from '../../core/basics/write-atomically.ts'
import { DATABASE_OPTIONS, defineCommand, type Terminal } from '../../core/cli/command.ts'
import { describeRemovals, readRemovalList, toLines } from '../../core/cli/removal-list.ts'
import { readConfig } from '../../core/config/config.ts'
import { openSqlite } from '../../core/store/database/sqlite/open.ts'
import { orphanedWalProblem } from '../../core/store/database/sqlite/wal-checks.ts'
import { nameDatabase } from '../../core/store/database-address.ts'
import { REMOVALS, type Removal } from '../../core/store/write/write-records.ts'
import { backUp, belongsToDatabase, type Contents, readBackup } from './backup.ts'
import { copyFor, readRemovals, removeLeftovers, restore as restoreFile } from './restore.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'make a checked copy of the database, while it is in use',
  description: `FILE is one SQLite file with everything that was committed at one moment; only its owner may read it.
    For PostgreSQL, use the tools of PostgreSQL.`,
  options: {
    force: { about: 'replace FILE if it exists' },
    removals: { placeholder: 'LIST', about: 'also add the removals to this file, for a later restore' },
    ...DATABASE_OPTIONS,
  },
  forms: [{ args: 'FILE' }],
  run({ values, args: [file = ''] }, terminal) {
    const path = findDatabase(file, values, terminal)
    const existing = statSync(file, { throwIfNoEntry: false })
    if (existing && !existing.isFile()) throw new CommandError(`${file} is not a file: choose another name.`)
    if (existing && !values.force) throw new CommandError(`${file} exists already: --force replaces it.`)
    const orphanedWal = orphanedWalProblem(path)
    if (orphanedWal !== undefined) throw new CommandError(orphanedWal)
    if (!statSync(path, { throwIfNoEntry: false }))
      throw new CommandError(`There is no database ${path}: check DATABASE_URL and the working directory.`)
    const list = values.removals
    const known = list !== undefined && existsSync(list) ? readRemovalList(list) : []
    const begin = terminal.now()
    const contents = backUp(path, file)
    if (list !== undefined) replaceFile(list, toLines(union(known, readRemovals(path))))
    terminal.out(
      `${path} is backed up to ${printable(file)}: ${describe(contents, terminal.now() - begin)}.\n`,
    )
  },
})

export const restore = defineCommand({
  name: 'restore',
  summary: 'replace the database with a backup',
  description: `Stop the service first: a database in use is refused. FILE is copied, checked and migrated. The old
    database is kept next to it, and the command prints its name. The removals of the old database are applied again,
    because FILE may be older.`,
  options: {
    force: { about: 'replace a database that is not empty or is damaged' },
    removals: { placeholder: 'LIST', about: 'also apply the removals of this file' },
    ...DATABASE_OPTIONS,
  },
  forms: [{ args: 'FILE' }],
  async run({ values, args: [file = ''] }, terminal) {
    const path = findDatabase(file, values, terminal)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      throw new CommandError(`There is no file ${file}.`)
    const [begin, force] = [terminal.now(), values.force === true]
    const known = values.removals === undefined ? [] : readRemovalList(values.removals)
    const list = findRemovals(path, known, terminal)
    const copy = copyFor(path)
    // A killed restore has left files.
    removeLeftovers(path)
    using _files = { [Symbol.dispose]: () => removeLeftovers(path) }
    if (list.length > 0) {
      await readBackup(file, () => backUp(file, copy))
      const store = await openSqlite(copy)
      await store.data(REMOVALS).apply(list, begin).finally(store.database.close)
    }
    const { kept, ...contents } = await restoreFile(list.length > 0 ? copy : file, path, {
      force,
      now: begin,
    })
    terminal.out(
      `${path} is restored from ${printable(file)}: ${describe(contents, terminal.now() - begin)}.\n`,
    )
    if (list.length > 0) terminal.out(describeRemovals(list))
    if (kept !== undefined) terminal.out(`The old database is kept as ${kept}.\n`)
  },
})

const union = (...lists: Removal[][]) => [...new Set(lists.flat())]

/** The removals of the database that is replaced, and of the list. A damaged database cannot be read. */
function findRemovals(path: string, known: Removal[], terminal: Terminal): Removal[] {
  try {
    return union(known, readRemovals(path))
  } catch (error) {
    const advice = 'removals since the backup are applied only if --removals names a list of them'
    terminal.err(`The removals of ${path} cannot be read (${(error as Error).message}): ${advice}.\n`)
    return known
  }
}

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
