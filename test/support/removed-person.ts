import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IncomingRecord } from '../../src/core/passport/record.ts'
import { connect } from './postgres/connection-urls.ts'
import { ROUTES } from './program/serving.ts'
import { credential, record, social } from './store/records.ts'
import { contracts } from './store/scoring.ts'

/** Each text of this person has one of these words, which no other data has. */
export const MARKS = [
  'name',
  'bio',
  'place',
  'tag',
  'wallet',
  'handle',
  'type',
  'value',
  'account',
  'point',
].map((word) => `qzx${word}`)

export const WALLET = '0xqzxwallet'

export const PERSON = record(7, {
  mainWallet: WALLET,
  verifiedWallets: [WALLET, '0xqzxwallet2'],
  profile: { displayName: 'Qzxname', bio: 'Qzxbio', location: 'Qzxplace', tags: ['qzxtag'] },
  scores: { total: 90, activity: 0, identity: 0, skills: 90 },
  socials: [social('github', 'qzxhandle', { displayName: 'Qzxname', bio: 'Qzxbio' })],
  credentials: [
    credential('c-1', {
      type: 'qzxtype',
      name: 'Qzxtype',
      category: 'Skills',
      score: 90,
      maxScore: 90,
      value: 'qzxvalue',
    }),
  ],
  dataPoints: [{ ...contracts(9), account: 'qzxaccount', display: 'qzxpoint' }],
})

export const incoming = (passport = PERSON): IncomingRecord => ({ kind: 'passport', passport })

const REFS = ['7', WALLET, 'github:qzxhandle']
const FILES = ['7.svg', '7.png', `${WALLET}.svg`, `${WALLET}.png`, 'qzxtype.png', '1.xml', '0.xml']
const VALUES: Record<string, readonly string[]> = { file: FILES, type: ['qzxtype'], stamp: ['x'] }

/** Queries that could name the person. */
const QUERIES = [
  ...['', '?q=qzxna', '?q=qzxhan', '?q=0xqzxwal', '?q=7', '?keyword=qzxna', '?passport_id=7', '?passport=7'],
  ...['?ids=7,9', '?tag=qzxtag', '?filter=tag:qzxtag', '?group_by=tag', '?group_by=location', '?sort=name'],
  ...['?sort=-added&since=2020-01-01', '?include=credentials,standing', '?url=ORIGIN/passports/7'],
]

/** Queries of a single passport. */
const INCLUDED = ['', '?include=credentials,explanation,standing', '?as_of=2100-01-01', '?since=2020-01-01']

/** Every GET request of the declared routes that could show the person. */
export const listTargets = (pages: readonly { path: string; methods?: readonly string[] }[]): string[] =>
  [...ROUTES, ...pages]
    .filter(
      ({ methods = ['GET'], path }) => methods.includes('GET') && !/[*]|health|ready|icon|site/.test(path),
    )
    .flatMap(({ path }) => {
      const name = /:(\w+)/.exec(path)?.[1]
      const filled =
        name === undefined
          ? [path]
          : (VALUES[name] ?? REFS).map((value) => path.replace(`:${name}`, encodeURIComponent(value)))
      return filled.flatMap((each) => (name === undefined ? QUERIES : INCLUDED).map((query) => each + query))
    })

/** The marks in a text, without those that the request contains. */
export const marksIn = (text: string, asked = ''): string[] =>
  MARKS.filter((mark) => !asked.toLowerCase().includes(mark) && text.toLowerCase().includes(mark))

/** The marks in all files of a folder. */
export const marksInFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .flatMap(({ parentPath, name }) =>
          marksIn(readFileSync(join(parentPath, name), 'latin1')).map((mark) => `${name}: ${mark}`),
        )
    : []

/** The marks in all rows of all tables. */
export async function marksInTables(url: string): Promise<string[]> {
  const found: string[] = []
  const add = (table: string, rows: unknown) => {
    for (const mark of marksIn(JSON.stringify(rows))) found.push(`${table}: ${mark}`)
  }
  if (url.startsWith('sqlite:')) {
    using database = new Database(url.slice('sqlite:'.length), { readonly: true })
    const tables = database
      .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
      .all()
    for (const { name } of tables) add(name, database.query(`select * from ${name}`).all())
    return found
  }
  await using sql = connect(url)
  for (const { name } of await sql`select tablename as name from pg_tables where schemaname = 'public'`)
    add(name, await sql.unsafe(`select to_json(rows) as row from ${name} as rows`))
  return found
}
