import { SQL } from 'bun'
import { openStore } from '../src/store/open.ts'
import { keepKey } from './key.ts'
import { manyPeople } from './many-people.ts'

const BATCH = 500

/** As an operator of a small machine would set them. */
export const SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  synchronous_commit: 'off',
  max_connections: 100,
}

type Wanted = { passports: number; credentials: number }

/** Fills a database of ours with so many passports, unless it has them already. */
export async function fillPostgres(url: string, { passports, credentials }: Wanted): Promise<void> {
  await using store = await opened(url)
  await keepKey(store)
  const { total } = await store.passports.list({ page: 1, size: 1, keyword: undefined })
  if (total === passports) return
  const begin = performance.now()
  let batch: Parameters<typeof store.records.save>[0][number][] = []
  for (const person of manyPeople(passports)) {
    const passport = { ...person, credentials: person.credentials?.slice(0, credentials) ?? [] }
    batch.push({ kind: 'passport', passport: { ...passport, stale: false } })
    if (batch.length < BATCH && person.id < passports) continue
    await store.records.save(batch, { now: begin, restore: false })
    batch = []
  }
  await using sql = new SQL(url, { max: 1 })
  await sql.unsafe('vacuum analyze')
  const [size] = await sql.unsafe('select pg_size_pretty(pg_database_size(current_database())) as text')
  const rate = Math.round(passports / ((performance.now() - begin) / 1000))
  console.error(
    `${passports.toLocaleString('en')} passports in, ${rate.toLocaleString('en')} a second, ${size.text}`,
  )
}

async function opened(url: string) {
  const store = await openStore({ engine: 'postgres', url })
  return Object.assign(store, { [Symbol.asyncDispose]: async () => store.close() })
}
