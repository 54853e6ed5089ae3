import { describe } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { type DatabaseAddress, parseDatabaseAddress } from '../../../src/core/store/database-address.ts'
import { openStore } from '../../../src/core/store/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import type { SaveOptions, SaveResult } from '../../../src/core/store/write/record-writer.ts'
import { owning } from '../owning.ts'
import { testDatabase } from '../postgres/postgres.ts'
import { allowProcesses } from '../processes.ts'
import { tempFolder } from '../temp-folder.ts'
import { NOON } from './records.ts'

/** `url` is the `DATABASE_URL` of the store. */
export type TestStore = Store & { url: string }

/** A new database with its `DATABASE_URL`. A `bare` one has no tables. */
export type MakeDatabase = (options?: { bare?: boolean }) => Promise<{ url: string } & AsyncDisposable>

/** The address that a valid URL names. */
export const addressOf = ({ url }: { url: string }) => parseDatabaseAddress(url) as DatabaseAddress

const ENGINES = {
  async sqlite({ bare = false } = {}) {
    const folder = tempFolder()
    const path = join(folder.path, 'test.db')
    migratedFile ??= makeMigratedFile()
    if (!bare) writeFileSync(path, await migratedFile, { mode: 0o600 })
    return { url: `sqlite:${path}`, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() }
  },
  async postgres({ bare = false } = {}) {
    if (bare) return allowProcesses(testDatabase)
    // The first database starts a server.
    return allowProcesses(async () => {
      migrated ??= makeMigrated()
      return testDatabase({ template: await migrated })
    })
  },
} satisfies Record<string, MakeDatabase>

/** A database with tables is created once and then copied, which is faster. */
let migratedFile: Promise<Uint8Array> | undefined
let migrated: Promise<string> | undefined

async function makeMigratedFile(): Promise<Uint8Array> {
  using folder = tempFolder()
  const path = join(folder.path, 'test.db')
  await (await openStore({ engine: 'sqlite', path })).database.close()
  return readFileSync(path)
}

async function makeMigrated(): Promise<string> {
  const { url, name } = await testDatabase()
  await (await openStore({ engine: 'postgres', url })).database.close()
  // The first session after a migration writes the cache of the catalog, which the copies then have.
  await using sql = new SQL(url, { max: 1 })
  await sql`select`
  return name
}

export async function openTestStore(
  engine: EngineName,
  records: readonly PassportRecord[] = [],
): Promise<TestStore> {
  const database = await ENGINES[engine]()
  const store = await openStore(addressOf(database))
  await saveRecords(store, records)
  return owning({ ...store, url: database.url }, database, store)
}

/** Saves passports, at the fixed time of the tests unless `options` names another. */
export async function saveRecords(
  store: Store,
  records: readonly PassportRecord[],
  options: Partial<SaveOptions> = {},
): Promise<SaveResult[]> {
  const incoming = records.map((passport) => ({ kind: 'passport' as const, passport }))
  return store.records.save(incoming, { now: NOON, restore: false, ...options })
}

export type EngineName = keyof typeof ENGINES
type StoreTests = (
  open: (records?: readonly PassportRecord[]) => Promise<TestStore>,
  engine: EngineName,
) => void
type CommandTests = (makeDatabase: MakeDatabase, engine: EngineName) => void

/** Runs tests of a store on one engine. The title begins with the name of the engine. */
export const onEngine = (engine: EngineName, title: string, tests: StoreTests) =>
  describe(`${engine}: ${title}`, () => tests((records) => openTestStore(engine, records), engine))

/** Runs tests of commands on one engine. */
export const withEngine = (engine: EngineName, title: string, tests: CommandTests) =>
  describe(`${engine}: ${title}`, () => tests(ENGINES[engine], engine))

const BOTH = Object.keys(ENGINES) as EngineName[]
const CHOSEN: readonly EngineName[] = process.env.ENGINES === 'all' ? BOTH : ['sqlite']

/** Runs tests of a store on SQLite, and with ENGINES=all on PostgreSQL, too. */
export function onEveryEngine(title: string, tests: StoreTests): void {
  for (const engine of CHOSEN) onEngine(engine, title, tests)
}

/** Runs tests of commands on SQLite, and with ENGINES=all on PostgreSQL, too. */
export function withEveryEngine(title: string, tests: CommandTests): void {
  for (const engine of CHOSEN) withEngine(engine, title, tests)
}

/** Runs tests of a store on both engines, in the quick tier too: those of random histories, which compare whole states. */
export function onBothEngines(title: string, tests: StoreTests): void {
  for (const engine of BOTH) onEngine(engine, title, tests)
}

export const databaseMaker = (engine: EngineName): MakeDatabase => ENGINES[engine]
