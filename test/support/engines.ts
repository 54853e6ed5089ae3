import { describe } from 'bun:test'
import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/domain/database-address.ts'
import type { PassportRecord } from '../../src/domain/record.ts'
import { openStore } from '../../src/store/open.ts'
import type { SaveResult, Store } from '../../src/store/store.ts'
import { testDatabase } from './postgres.ts'
import { NOON } from './records.ts'
import { tempFolder } from './temp.ts'

export type TestStore = Store & AsyncDisposable

type Engine = {
  /** A new database; what `DATABASE_URL` says of it. */
  make(): Promise<{ url: string } & AsyncDisposable>
}

const ENGINES = {
  sqlite: {
    async make() {
      const folder = tempFolder()
      return {
        url: `sqlite:${join(folder.path, 'test.db')}`,
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      }
    },
  },
  postgres: {
    async make() {
      migrated ??= makeMigrated()
      return testDatabase({ template: await migrated })
    },
  },
} satisfies Record<string, Engine>

let migrated: Promise<string> | undefined

/** The tables are made once: copying a database is quicker. */
async function makeMigrated(): Promise<string> {
  const { url, name } = await testDatabase()
  await (await openStore({ engine: 'postgres', url })).close()
  return name
}

/** A store of its own, on a new database. */
export async function openTestStore(
  engine: EngineName,
  records: readonly PassportRecord[] = [],
): Promise<TestStore> {
  const database = await ENGINES[engine].make()
  const store = await openStore(parseDatabaseAddress(database.url) as DatabaseAddress)
  await saveRecords(store, records)
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Hands passports in, at the fixed time of the tests. */
export async function saveRecords(store: Store, records: readonly PassportRecord[]): Promise<SaveResult[]> {
  const incoming = records.map((passport) => ({ kind: 'passport' as const, passport }))
  return store.records.save(incoming, { now: NOON, restore: false })
}

type Open = (records?: readonly PassportRecord[]) => Promise<TestStore>
type EngineName = keyof typeof ENGINES

/** Runs the same tests on each engine, its name first in the title. */
export function onEveryEngine(title: string, tests: (open: Open, engine: EngineName) => void): void {
  for (const engine of Object.keys(ENGINES) as EngineName[]) onEngine(engine, title, tests)
}

export function onEngine(engine: EngineName, title: string, tests: (open: Open, engine: EngineName) => void) {
  describe(`${engine}: ${title}`, () => tests((records = []) => openTestStore(engine, records), engine))
}

/** The same command on each engine: `database` is a new one, for `DATABASE_URL`. */
export function withEveryEngine(title: string, tests: (makeDatabase: Engine['make']) => void): void {
  for (const [name, { make }] of Object.entries(ENGINES)) describe(`${name}: ${title}`, () => tests(make))
}
