import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credential } from '../src/domain/credential.ts'
import { inventPeople, type Person } from '../src/ingest/demo/people.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { MILLION, multiply } from './large-set.ts'
import { manyPeople } from './many-people.ts'

/** Data sets are kept outside the repository, and used again by the next run. */
export const DATA_FOLDER = process.env.BENCH_DATA ?? join(tmpdir(), 'passportd-bench-data')

const BATCH = 500

/** The path of an SQLite database with so many passports and their documents, which is made where it is missing. */
export async function sqliteSet(passports: number): Promise<string> {
  mkdirSync(DATA_FOLDER, { recursive: true })
  const path = join(DATA_FOLDER, `passports-${passports}.db`)
  if (!existsSync(path)) {
    if (passports > MILLION && passports % MILLION === 0)
      multiply(await sqliteSet(MILLION), path, passports / MILLION)
    else await build(path, passports)
  }
  return path
}

async function build(path: string, passports: number): Promise<void> {
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  const store = await openStore({ engine: 'sqlite', path: unfinished })
  await fill(store, passports)
  await store.close()
  renameSync(unfinished, path)
}

/** Fills a store with so many passports, unless it has them already. */
export async function fill(store: Store, passports: number): Promise<void> {
  const { total } = await store.passports.list({ page: 1, size: 1, keyword: undefined })
  if (total === passports) return
  const begin = performance.now()
  let batch: Parameters<Store['records']['save']>[0][number][] = []
  for (const passport of withCredentials(passports)) {
    batch.push({ kind: 'passport', passport })
    if (batch.length < BATCH && passport.id < passports) continue
    await store.records.save(batch, { now: Date.now(), restore: false })
    batch = []
    if (passport.id % 100_000 === 0) console.error(`${passport.id.toLocaleString('en')} passports are in`)
  }
  const seconds = (performance.now() - begin) / 1000
  console.error(
    `${passports.toLocaleString('en')} passports in ${seconds.toFixed(0)} s, ${Math.round(passports / seconds).toLocaleString('en')} a second`,
  )
}

/** As real people have; some of the invented ones have a few more. */
const CREDENTIALS = 17

function* withCredentials(count: number): Generator<Person> {
  const all = inventPeople().flatMap(({ credentials }) => credentials ?? [])
  const kinds = new Map(all.map((credential) => [credential.type, credential]))
  const fillers = [...kinds.values()]
  for (const person of manyPeople(count)) {
    const own = person.credentials ?? []
    const has = new Set(own.map(({ type }) => type))
    const more: Credential[] = fillers
      .filter(({ type }) => !has.has(type))
      .slice(0, Math.max(0, CREDENTIALS - own.length))
      // Without points: the scores of the record still add up, and nothing has to be worked out.
      .map((credential) => ({ ...credential, id: `${credential.type}-${person.id}`, score: 0 }))
    yield { ...person, credentials: [...own, ...more] }
  }
}
