import { Database } from 'bun:sqlite'
import { connect } from '../postgres/connect.ts'

/** Runs SQL on the database of either engine. */
export async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using database = new Database(url.slice('sqlite:'.length))
    database.run('pragma busy_timeout = 10000')
    return void database.run(sql)
  }
  await using server = connect(url)
  await server.unsafe(sql)
}

/** The schemas of version 0.2.0. */
export const OLD_SCHEMA = { sqlite: 11, postgres: 6 }

/** Makes a database look like one of version 0.2.0. */
export async function revertSchema(url: string): Promise<void> {
  for (const table of ['passports', 'v1_passports'])
    await execute(url, `alter table ${table} drop column later_fields`)
  for (const table of ['handles', 'events', 'event_log', 'event_rules'])
    await execute(url, `drop table ${table}`)
  await execute(
    url,
    url.startsWith('sqlite:')
      ? `pragma user_version = ${OLD_SCHEMA.sqlite}`
      : `update passportd set version = ${OLD_SCHEMA.postgres}`,
  )
}
