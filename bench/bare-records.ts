import { Database } from 'bun:sqlite'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Person } from '../src/ingest/demo/people.ts'

const BATCH = 500

/** Writes the rows of each person, the same ones as an import, with nothing read, checked or compared. */
export function bareImport(path: string, people: Iterable<Person>): void {
  const database = open(path)
  const passport = database.query(
    `insert into passports (id, score, activity_score, identity_score, skills_score, stale, calculated_at, human, connections,
       main_wallet, verified_wallets, display_name, bio, location, tags, socials, merged_into, given_human, fingerprint, rules)
     values (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, 'fingerprint', '')`,
  )
  const wallet = database.query('insert into wallets (address, passport_id) values (?, ?)')
  const name = database.query('insert into names (rowid, grams) values (?, ?)')
  const credential = database.query(
    `insert into credentials (passport_id, id, type, name, category, score, max_score, value, earned_at, calculated_at, given_score)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let open_ = 0
  for (const {
    id,
    scores,
    calculatedAt = 0,
    human,
    connections,
    mainWallet,
    verifiedWallets,
    profile,
    socials,
    credentials,
  } of people) {
    if (open_ === 0) database.run('begin immediate')
    passport.run(
      id,
      scores.total,
      scores.activity,
      scores.identity,
      scores.skills,
      calculatedAt,
      human,
      connections,
      mainWallet,
      JSON.stringify(verifiedWallets),
      profile.displayName,
      profile.bio,
      profile.location,
      JSON.stringify(profile.tags),
      JSON.stringify(socials),
      human,
    )
    for (const address of verifiedWallets) wallet.run(address, id)
    name.run(id, grams(profile.displayName))
    for (const c of credentials) {
      credential.run(
        id,
        c.id,
        c.type,
        c.name,
        c.category,
        c.score,
        c.maxScore,
        c.value,
        c.earnedAt ?? null,
        c.calculatedAt,
        c.score,
      )
    }
    if (++open_ < BATCH) continue
    database.run('commit')
    open_ = 0
  }
  if (open_ > 0) database.run('commit')
  database.close()
}

/** Reads every row and writes it as JSON lines. */
export function bareExport(path: string, target: string): void {
  const database = open(path)
  const passports = database.query<{ id: number }, []>('select * from passports order by id')
  const credentials = database.query('select * from credentials where passport_id = ?')
  const out = openSync(target, 'w')
  let text = ''
  for (const passport of passports.iterate()) {
    text += `${JSON.stringify({ ...passport, credentials: credentials.all(passport.id) })}\n`
    if (text.length < 1_000_000) continue
    writeSync(out, text)
    text = ''
  }
  writeSync(out, text)
  closeSync(out)
  database.close()
}

/** Reads the credentials of each passport, adds them up, and writes the scores. */
export function bareRescore(path: string): void {
  const database = open(path)
  database.run('update passports set stale = 1')
  const stale = database.query<{ id: number }, []>(
    'select id from passports where stale = 1 order by id limit 50',
  )
  const credentials = database.query<{ score: number }, [number]>(
    'select * from credentials where passport_id = ?',
  )
  const save = database.query('update passports set score = ?, stale = 0, calculated_at = ? where id = ?')
  for (;;) {
    database.run('begin immediate')
    const ids = stale.all()
    for (const { id } of ids) {
      save.run(
        credentials.all(id).reduce((sum, { score }) => sum + score, 0),
        Date.now(),
        id,
      )
    }
    database.run('commit')
    if (ids.length === 0) break
  }
  database.close()
}

function open(path: string): Database {
  const database = new Database(path)
  database.run('pragma journal_mode = wal')
  database.run('pragma synchronous = full')
  return database
}

function grams(name: string): string {
  const letters = [...name.toLowerCase()]
  return letters
    .map((_, at) =>
      letters
        .slice(at, at + 3)
        .join('')
        .replaceAll(' ', '\ue020'),
    )
    .join(' ')
}
