import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workplace } from '../cli-sandbox.ts'
import type { EngineName, MakeDatabase } from '../store/engines.ts'
import { execute, select } from '../store/execute-sql.ts'

/** A database of an earlier program, and what that program answered at the time `now`. */
export type OldDatabase = {
  /** Creates the database. */
  sql: string
  now: number
  /** Status and body by path, for the key of `makeKey(store, 1)`. */
  answers: Record<string, string>
  /** What `export` printed. */
  exported: string
}

/** The schemas of version 0.2.1, and of the last development version before the schema 22. */
export const OLD_SCHEMAS = { sqlite: [14, 16], postgres: [9, 11] } as const

export function readOldDatabase(engine: EngineName, schema: number): OldDatabase {
  const file = join(import.meta.dir, `../../core/store/fixtures/${engine}-${schema}.json.zst`)
  return JSON.parse(Bun.zstdDecompressSync(readFileSync(file)).toString())
}

/** Creates a database of the last development version before schema 22, with `copies` more of its passports and events. */
export async function makeOldDatabase(url: string, engine: EngineName, copies = 0): Promise<void> {
  const [, schema] = OLD_SCHEMAS[engine]
  await execute(url, readOldDatabase(engine, schema).sql)
  const multiply = COPIED.flatMap(([table, id]) => [
    `create table copied as select * from ${table}`,
    ...Array.from({ length: copies }, () => [
      `update copied set ${id} = ${id} + 1000`,
      `insert into ${table} select * from copied`,
    ]).flat(),
    'drop table copied',
  ])
  const renumber = `update event_log set last = (select max(sequence) from events)`
  await execute(url, [...multiply, renumber].join(';\n'))
}

/** The tables that grow with the passports, and the columns with their numbers. */
const COPIED = [
  ['passports', 'id'],
  ['credentials', 'passport_id'],
  ['v1_passports', 'passport_id'],
  ['v1_credentials', 'passport_id'],
  ['data_points', 'passport_id'],
  ['log_secrets', 'passport_id'],
  ['events', 'sequence'],
] as const

/** All rows of all tables in a schema of PostgreSQL or in a SQLite file, as text. */
export async function dumpOf(url: string, schema = 'public'): Promise<string> {
  const isFile = url.startsWith('sqlite:')
  const names = await select<{ name: string }>(
    url,
    isFile
      ? "select name from sqlite_schema where type = 'table' order by name"
      : `select tablename as name from pg_tables where schemaname = '${schema}' order by 1`,
  )
  const dump: string[] = []
  for (const { name } of names) {
    const rows = await select<object>(url, `select * from ${isFile ? '' : `${schema}.`}${name}`)
    dump.push(name, ...rows.map((row) => JSON.stringify(row)).sort())
  }
  return dump.join('\n')
}

/** A place for commands, with a database of an earlier version. */
export async function oldPlace(makeDatabase: MakeDatabase, engine: EngineName, copies = 0) {
  const here = await workplace(makeDatabase, { bare: true })
  await makeOldDatabase(here.env.DATABASE_URL, engine, copies)
  return here
}

/** All rows of the tables that a migration has kept. */
export const dumpKept = (url: string): Promise<string> =>
  url.startsWith('sqlite:') ? dumpOf(`${url}.before-22`) : dumpOf(url, 'public_before_22')
