import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sumScores } from '../../src/core/passport/credential.ts'
import type { IncomingRecord } from '../../src/core/passport/record.ts'
import { openStore } from '../../src/core/store/open.ts'
import schema from '../../src/core/store/schema.sql' with { type: 'text' }
import type { Store } from '../../src/core/store/store.ts'
import { inventPeople, type Person } from '../../test/support/store/invented-people.ts'
import { createKey } from '../support/api-key.ts'

/** Data sets are stored outside the repository; the next run uses them again. */
export const DATA_FOLDER = process.env.BENCH_DATA ?? join(tmpdir(), 'passportd-bench-data')

/** Credentials per passport. With the usual 17, a million passports would take 8 GB. */
export const CREDENTIALS = 8

/** Part of the names of data sets: those of another schema are not used. */
export const SCHEMA = Bun.hash.crc32(schema)

/** What a passport of a data set has at most. */
const MOST = { credentials: CREDENTIALS, socials: Number.POSITIVE_INFINITY }

const BATCH = 500

/** Returns the path of an SQLite database with this many passports and the API key of the bench. Creates it if needed. */
export async function sqliteDataSet(passports: number): Promise<string> {
  mkdirSync(DATA_FOLDER, { recursive: true })
  const path = join(DATA_FOLDER, `v1-${passports}-${CREDENTIALS}-${SCHEMA}.db`)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  const store = await openStore({ engine: 'sqlite', path: unfinished })
  await createKey(store)
  await fill(store, passports)
  await store.database.close()
  renameSync(unfinished, path)
  return path
}

export async function fill(store: Store, passports: number, most = MOST): Promise<void> {
  const begin = performance.now()
  let batch: IncomingRecord[] = []
  for (const person of manyPeople(passports)) {
    const credentials = person.credentials.slice(0, most.credentials)
    batch.push({
      kind: 'passport',
      passport: {
        ...person,
        credentials,
        socials: person.socials.slice(0, most.socials),
        scores: sumScores(credentials),
      },
    })
    if (batch.length < BATCH && person.id < passports) continue
    await store.records.save(batch, { now: Date.now(), restore: false })
    // Other work of this process, such as open transactions, continues between batches.
    await new Promise(setImmediate)
    batch = []
    if (person.id % 50_000 !== 0 && person.id < passports) continue
    const rate = person.id / ((performance.now() - begin) / 1000)
    console.error(
      `Data set: ${person.id.toLocaleString('en')} passports, ${Math.round(rate).toLocaleString('en')} per second`,
    )
  }
}

/** The main wallet of a passport in the data sets. */
export const walletOf = (id: number, position = 0) =>
  `0xde30${id.toString(16).padStart(34, '0')}${position.toString(16).padStart(2, '0')}`

const templates = inventPeople().filter(({ mergedInto }) => mergedInto === undefined)
const templateOf = (id: number) => templates[id % templates.length] as Person

/** The display name of a passport in the data sets, without its number. */
export const nameOf = (id: number) => templateOf(id).profile.displayName

/** Repeats the demo people with unique ids, wallets and names. */
export function* manyPeople(count: number): Generator<Person> {
  for (let id = 1; id <= count; id++) {
    const template = templateOf(id)
    const wallets = template.verifiedWallets.map((_, position) => walletOf(id, position))
    yield {
      ...template,
      id,
      stale: false,
      mainWallet: wallets[0] ?? '',
      verifiedWallets: wallets,
      profile: { ...template.profile, displayName: `${nameOf(id)} ${id}` },
    }
  }
}
