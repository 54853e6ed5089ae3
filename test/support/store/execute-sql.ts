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

/** Makes a database look like one of the previous version. */
export async function revertSchema(url: string): Promise<void> {
  for (const table of ['passports', 'v1_passports'])
    await execute(url, `alter table ${table} drop column later_fields`)
  const isSqlite = url.startsWith('sqlite:')
  await execute(url, isSqlite ? 'pragma user_version = 11' : 'update passportd set version = 6')
}
