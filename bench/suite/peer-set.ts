import { Database } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { foldName } from '../../src/domain/name.ts'
import type { Social } from '../../src/domain/passport.ts'
import { own } from '../../test/support/postgres-files.ts'
import { KEY_HASH } from '../key.ts'
import { databaseOf, type KeptPostgres, POSTGRES_FOLDER } from './kept-postgres.ts'

const PEER = join(import.meta.dir, '../peer')
const CHUNK = 20_000

/** The address of a database with the passports of a data set in the peer's tables, which is filled where it is missing. */
export async function peerSet(server: KeptPostgres, path: string, passports: number): Promise<string> {
  const url = await databaseOf(server, `peer_${passports}`)
  await using sql = new SQL(url, { max: 1 })
  const [done] = await sql`select to_regclass('filled') as name`
  if (done.name !== null) return url
  console.error(`The peer's tables are filled with ${passports.toLocaleString('en')} passports`)
  await sql.unsafe('drop schema public cascade; create schema public')
  await sql.unsafe(readFileSync(join(PEER, 'schema.sql'), 'utf8'))
  for (const tables of chunksOf(path)) {
    for (const [table, rows] of Object.entries(tables)) await copy(sql, table, rows)
  }
  await sql`insert into api_keys (hash, name) values (${KEY_HASH}, 'bench')`
  for (const statement of readFileSync(join(PEER, 'indexes.sql'), 'utf8').split(';')) {
    if (statement.trim() !== '') await sql.unsafe(statement)
  }
  await sql.unsafe('create table filled ()')
  return url
}

type Row = readonly (string | number | boolean | null)[]

/** The server reads the file itself, which is quicker than to send the rows. */
async function copy(sql: SQL, table: string, rows: readonly Row[]): Promise<void> {
  const path = join(POSTGRES_FOLDER, 'rows')
  writeFileSync(path, rows.map((row) => `${row.map(toField).join('\t')}\n`).join(''))
  own(path)
  await sql.unsafe(`copy ${table} from '${path}'`)
  rmSync(path)
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toField(value: string | number | boolean | null): string {
  return value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (letter) => ESCAPES[letter] as string)
}

type PassportRow = Record<'id' | 'score' | 'activity_score' | 'identity_score' | 'skills_score', number> &
  Record<'stale' | 'connections' | 'human' | 'calculated_at', number> &
  Record<
    'main_wallet' | 'verified_wallets' | 'display_name' | 'bio' | 'location' | 'tags' | 'socials',
    string
  >

type CredentialRow = Record<'id' | 'type' | 'name' | 'category' | 'value', string> &
  Record<'passport_id' | 'score' | 'max_score' | 'calculated_at', number> & { earned_at: number | null }

function* chunksOf(path: string): Generator<Record<string, Row[]>> {
  using database = new Database(path, { readonly: true })
  const passports = database.query<PassportRow, [number, number]>(
    'select * from passports where id > ? order by id limit ?',
  )
  const credentials = database.query<CredentialRow, [number, number]>(
    'select * from credentials where passport_id between ? and ? and superseded = 0',
  )
  for (let last = 0; ; ) {
    const rows = passports.all(last, CHUNK)
    const first = rows[0]
    if (!first) return
    last = (rows.at(-1) as PassportRow).id
    yield {
      passports: rows.map(toPassport),
      wallets: rows.flatMap((row) =>
        numbered(row, JSON.parse(row.verified_wallets), (wallet: string) => [wallet]),
      ),
      tags: rows.flatMap((row) => numbered(row, JSON.parse(row.tags), (tag: string) => [tag])),
      socials: rows.flatMap((row) => numbered(row, JSON.parse(row.socials), toSocial)),
      credentials: credentials.all(first.id, last).map(toCredential),
    }
    if (last % 100_000 === 0) console.error(`${last.toLocaleString('en')} passports are in`)
  }
}

const numbered = <T>({ id }: PassportRow, items: readonly T[], map: (item: T) => Row): Row[] =>
  items.map((item, position) => [id, position, ...map(item)])

const toPassport = (row: PassportRow): Row => [
  row.id,
  row.score,
  row.activity_score,
  row.identity_score,
  row.skills_score,
  row.stale !== 0,
  row.connections,
  row.human === 1,
  instant(row.calculated_at),
  row.main_wallet,
  row.display_name,
  row.bio,
  row.location,
  foldName(row.display_name),
]

const toSocial = (one: Social): Row => [
  one.source,
  one.name,
  one.displayName,
  one.bio,
  one.location,
  one.url,
  one.imageUrl,
  one.followers,
  one.following,
]

const toCredential = (row: CredentialRow): Row => [
  row.passport_id,
  row.id,
  row.type,
  row.name,
  row.category,
  row.score,
  row.max_score,
  row.value,
  row.earned_at === null ? null : instant(row.earned_at),
  instant(row.calculated_at),
]

const instant = (milliseconds: number) => new Date(milliseconds).toISOString()
