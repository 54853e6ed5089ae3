import { count } from '../basics/text/counts-and-sizes.ts'
import { readConfig } from '../config/config.ts'
import { nameDatabase } from '../store/database-address.ts'
import { migrateDatabase } from '../store/open.ts'
import { DERIVED } from '../store/sql/derived.ts'
import { DATABASE_OPTIONS, defineCommand, type Terminal } from './command.ts'
import { openConfigured } from './open-store.ts'
import { createProgress } from './progress.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'migrate the database to the schema of this version',
  description: `Stop the service first. "serve" migrates by itself; all other commands refuse an older schema. The old
    tables are kept. docs/upgrade.md describes the steps, and the way back.`,
  options: {
    rebuild: {
      about: 'fill the tables that are derived from passports again, if the schema is that of this version',
    },
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values }, terminal) {
    if (values.rebuild) return rebuild(values, terminal)
    const { database } = readConfig(terminal.env, values)
    const name = nameDatabase(database)
    const { from, to } = await migrateDatabase(database, (sentence) => terminal.err(`${sentence}\n`))
    terminal.err(
      from === to ? `${name} has schema ${to} already.\n` : `${name} has schema ${to} now; it was ${from}.\n`,
    )
  },
})

async function rebuild(values: { demo?: true | undefined }, terminal: Terminal): Promise<void> {
  await using database = await openConfigured(terminal, values)
  using progress = createProgress(terminal, 'passports')
  let done = 0
  await database.store.data(DERIVED).rebuild((passports) => {
    done += passports
    progress.update(done)
  })
  progress.end()
  terminal.err(`The derived tables of ${database.name} are filled again (${count(done, 'passport')}).\n`)
}
