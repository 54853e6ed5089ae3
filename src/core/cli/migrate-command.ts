import { readConfig } from '../config/config.ts'
import { nameDatabase } from '../store/database-address.ts'
import { migrateDatabase } from '../store/open.ts'
import { DATABASE_OPTIONS, defineCommand } from './command.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'migrate the database to the schema of this version',
  description: `Make a backup first: an older version cannot use the database afterwards. "serve" migrates by itself; all
    other commands refuse an older schema. docs/upgrade.md describes the steps.`,
  options: DATABASE_OPTIONS,
  forms: [{}],
  async run({ values }, terminal) {
    const { database } = readConfig(terminal.env, values)
    const name = nameDatabase(database)
    const { from, to } = await migrateDatabase(database)
    terminal.err(
      from === to ? `${name} has schema ${to} already.\n` : `${name} has schema ${to} now; it was ${from}.\n`,
    )
  },
})
