import { Database } from 'bun:sqlite'
import { connect } from '../postgres/connection-urls.ts'
import type { EngineName } from './engines.ts'

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

/** The rows of a select on the database of either engine. */
export async function select<Row>(url: string, sql: string): Promise<Row[]> {
  if (url.startsWith('sqlite:')) {
    using database = new Database(url.slice('sqlite:'.length))
    return database.query<Row, []>(sql).all()
  }
  await using server = connect(url)
  return [...(await server.unsafe(sql))]
}

export const setSchema = (engine: EngineName, schema: number) =>
  engine === 'sqlite' ? `pragma user_version = ${schema}` : `update passportd set version = ${schema}`
