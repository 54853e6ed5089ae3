import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openStore } from '../../src/core/store/open.ts'
import { createKey } from '../support/api-key.ts'
import { DATA_FOLDER, fill, SCHEMA } from './data-set.ts'
import { openDatabase, type PersistentPostgres } from './reused-postgres.ts'

/** Passports that are imported. The others are copies, made by the database. */
export const IMPORTED = 100_000
/** Fewer than in other data sets: ten million passports must fit on a disk of 100 GB, on PostgreSQL with a replica. */
const MOST = { sqlite: { credentials: 2, socials: 1 }, postgres: { credentials: 1, socials: 0 } }

type Run = (statement: string) => Promise<unknown[]>

/** Returns the path of an SQLite database with this many passports. Creates it if needed. */
export async function largeSqlite(passports: number): Promise<string> {
  const path = join(DATA_FOLDER, `large-${passports}-${SCHEMA}.db`)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  await fillBase({ engine: 'sqlite', path: unfinished })
  const database = new Database(unfinished)
  database.run('pragma synchronous = off; pragma cache_size = -1000000')
  await copyPassports(passports, async (statement) => database.query(statement).all())
  database.close()
  renameSync(unfinished, path)
  return path
}

/** Returns the URL of a PostgreSQL database with this many passports. Creates it if needed. */
export async function largePostgres(server: PersistentPostgres, passports: number): Promise<string> {
  const url = await openDatabase(server, `large_${passports}_${SCHEMA}`)
  await using sql = new SQL(url, { max: 1 })
  const [done] = await sql`select to_regclass('filled') as name`
  if (done.name !== null) return url
  await sql.unsafe('drop schema public cascade; create schema public')
  await fillBase({ engine: 'postgres', url })
  await copyPassports(passports, (statement) => sql.unsafe(statement))
  await sql.unsafe('vacuum analyze')
  await sql.unsafe('create table filled ()')
  return url
}

async function fillBase(address: Parameters<typeof openStore>[0]): Promise<void> {
  const store = await openStore(address)
  await fill(store, IMPORTED, MOST[address.engine])
  await createKey(store)
  await store.database.close()
}

/** The tables with rows of each passport, and the columns that hold its id. */
const TABLES = {
  passports: 'id',
  wallets: 'passport_id',
  credentials: 'passport_id',
  handles: 'passport_id',
  listing: 'passport_id',
  log_secrets: 'passport_id',
  events: 'passport_id',
} as const

const WITH_WALLETS = ['address', 'main_wallet', 'verified_wallets']

/** Copies the rows of the imported passports with new ids and wallets. */
async function copyPassports(passports: number, run: Run): Promise<void> {
  for (let copy = 1; copy < passports / IMPORTED; copy++) {
    const offset = copy * IMPORTED
    for (const [table, id] of Object.entries(TABLES)) {
      const [row] = await run(`select * from ${table} limit 1`)
      if (!row) continue
      const columns = Object.keys(row).map((name) => {
        if (name === id || name === 'sequence') return [name, `${name} + ${offset}`]
        return [name, WITH_WALLETS.includes(name) ? withNewWallets(name, copy) : name]
      })
      const [names, values] = [0, 1].map((at) => columns.map((column) => column[at]).join())
      await run(`insert into ${table} (${names}) select ${values} from ${table} where ${id} <= ${IMPORTED}`)
    }
    console.error(`Data set: ${(offset + IMPORTED).toLocaleString('en')} passports`)
  }
  await run(`update event_log set last = ${passports}`)
}

/** Wallets begin with 0xde30 in imported rows, and the copies have other digits there. */
const withNewWallets = (column: string, copy: number) =>
  `replace(${column}, '0xde30', '0xd${copy.toString(16).padStart(3, '0')}')`
