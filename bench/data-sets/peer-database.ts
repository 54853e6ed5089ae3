import { Database } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { WireProfile, WireSocial } from '../../src/core/passport/wire-schemas.ts'
import { own } from '../../test/support/postgres/postgres-files.ts'
import { KEY_HASH } from '../support/api-key.ts'
import { openDatabase, type PersistentPostgres, POSTGRES_FOLDER } from './reused-postgres.ts'

const PEER = join(import.meta.dir, '../peer')
const CHUNK = 20_000

/** Returns the URL of a database that has the data set in the peer's tables. Creates and fills it if needed. */
export async function fillPeer(server: PersistentPostgres, path: string, passports: number): Promise<string> {
  const url = await openDatabase(server, `peer_v1_${passports}`)
  await using sql = new SQL(url, { max: 1 })
  const [done] = await sql`select to_regclass('filled') as name`
  if (done.name !== null) return url
  await sql.unsafe('drop schema public cascade; create schema public')
  await sql.unsafe(readFileSync(join(PEER, 'schema.sql'), 'utf8'))
  for (const tables of chunksOf(path)) {
    for (const [name, rows] of Object.entries(tables)) await copy(sql, name, rows)
  }
  await sql`insert into api_keys (hash, name) values (${KEY_HASH}, 'bench')`
  for (const statement of readFileSync(join(PEER, 'indexes.sql'), 'utf8').split(';')) {
    if (statement.trim() !== '') await sql.unsafe(statement)
  }
  await sql.unsafe('create table filled ()')
  return url
}

type Row = readonly (string | number | boolean | null)[]

/** PostgreSQL reads the file itself, which is faster than sending rows. */
async function copy(sql: SQL, name: string, rows: readonly Row[]): Promise<void> {
  const path = join(POSTGRES_FOLDER, 'rows')
  writeFileSync(path, rows.map((row) => `${row.map(toField).join('\t')}\n`).join(''))
  own(path)
  await sql.unsafe(`copy ${name} from '${path}'`)
  rmSync(path)
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toField(value: Row[number]): string {
  return value === null
    ? '\\N'
    : String(value).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}

type PassportRow = Record<'id' | 'score' | 'activity_score' | 'identity_score' | 'skills_score', number> &
  Record<'stale' | 'connections' | 'human' | 'calculated_at', number> &
  Record<'main_wallet' | 'verified_wallets' | 'profile' | 'socials', string>

function* chunksOf(path: string): Generator<Record<string, Row[]>> {
  using database = new Database(path, { readonly: true })
  const passports = database.query<PassportRow, [number, number]>(
    'select * from passports where id > ? order by id limit ?',
  )
  for (let rows = passports.all(0, CHUNK); rows.length > 0; ) {
    yield {
      passports: rows.map(toPassport),
      wallets: rows.flatMap((row) =>
        numbered(row, JSON.parse(row.verified_wallets), (wallet: string) => [wallet]),
      ),
      tags: rows.flatMap((row) => numbered(row, profileOf(row).tags, (tag) => [tag])),
      socials: rows.flatMap((row) => numbered(row, JSON.parse(row.socials), toSocial)),
    }
    const last = rows.at(-1)?.id ?? 0
    console.error(`Peer data set: ${last.toLocaleString('en')} passports`)
    rows = passports.all(last, CHUNK)
  }
}

const numbered = <T>({ id }: PassportRow, items: readonly T[], map: (item: T) => Row): Row[] =>
  items.map((item, position) => [id, position, ...map(item)])

const profileOf = ({ profile }: PassportRow): WireProfile => JSON.parse(profile)

const toPassport = (row: PassportRow): Row => [
  row.id,
  row.score,
  row.activity_score,
  row.identity_score,
  row.skills_score,
  row.stale !== 0,
  row.connections,
  row.human === 1,
  new Date(row.calculated_at).toISOString(),
  row.main_wallet,
  profileOf(row).display_name,
  profileOf(row).bio,
  profileOf(row).location,
]

const toSocial = (one: WireSocial): Row => [
  one.source,
  one.profile_name,
  one.profile_display_name,
  one.profile_bio,
  one.location,
  one.profile_url,
  one.profile_image_url,
  one.follower_count,
  one.following_count,
]
