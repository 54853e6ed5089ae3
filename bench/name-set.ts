import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { foldName } from '../src/domain/name.ts'
import { inventName } from '../src/ingest/demo/names.ts'
import { createRandom, type Random } from '../src/ingest/demo/random.ts'
import { createNames } from '../src/store/sqlite/names.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { DATA_FOLDER } from './data-set.ts'

/** Rows of a transaction. */
const BATCH = 50_000

export type NameSet = {
  /** A store whose passports have names and scores, and nothing else. */
  store: string
  /** The same names, folded, in a narrow table with an index by rank. */
  plain: string
}

/** So many passports with names that are mostly different, which are made where they are missing. */
export function nameSet(passports: number): NameSet {
  mkdirSync(DATA_FOLDER, { recursive: true })
  const path = (kind: string) => join(DATA_FOLDER, `${kind}-${passports}.db`)
  const set = { store: path('names'), plain: path('folded-names') }
  if (!existsSync(set.store)) make(set.store, passports, fillStore)
  if (!existsSync(set.plain)) make(set.plain, passports, fillPlain)
  return set
}

type Named = { id: number; score: number; name: string }
type Fill = (database: Database) => (person: Named) => void

function make(path: string, passports: number, fill: Fill): void {
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  if (fill === fillStore) openSqlite(unfinished).close()
  const database = new Database(unfinished)
  database.run('pragma journal_mode = off')
  database.run('pragma synchronous = off')
  database.run('pragma cache_size = -400000')
  const insert = fill(database)
  database.run('begin')
  for (const person of invent(passports)) {
    insert(person)
    if (person.id % BATCH !== 0) continue
    database.run('commit')
    database.run('begin')
  }
  database.run('commit')
  database.close()
  renameSync(unfinished, path)
}

function fillStore(database: Database) {
  const names = createNames(database)
  const insert = database.query(
    `insert into passports (id, score, activity_score, identity_score, skills_score, stale, calculated_at, human, connections,
       main_wallet, verified_wallets, display_name, bio, location, tags, socials)
     values (?, ?, 0, 0, 0, 0, 0, 0, 0, '', '[]', ?, '', '', '[]', '[]')`,
  )
  return ({ id, score, name }: Named) => {
    insert.run(id, score, name)
    names.insert(id, foldName(name))
  }
}

function fillPlain(database: Database) {
  database.run('create table names (id integer primary key, score real not null, name text not null) strict')
  database.run('create index names_by_rank on names (score desc, id, name)')
  const insert = database.query('insert into names (id, score, name) values (?, ?, ?)')
  return ({ id, score, name }: Named) => void insert.run(id, score, foldName(name))
}

function* invent(count: number): Generator<Named> {
  const random = createRandom(7)
  for (let id = 1; id <= count; id++) {
    const name = inventName(random)
    const more = random.chance(0.7) ? ` ${inventWord(random)}` : ''
    yield { id, score: Math.floor(random.next() ** 3 * 300), name: `${name}${more}` }
  }
}

const SYLLABLES =
  'ba be bo da di do fa ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa po ra re ri ro sa se si so ta te ti to va ve vi wa ya yo za zo'.split(
    ' ',
  )

const inventWord = (random: Random) =>
  Array.from({ length: random.whole(2, 4) }, () => random.pick(SYLLABLES)).join('')
