import { describe } from 'bun:test'
import { join } from 'node:path'
import type { PassportRecord } from '../../src/domain/record.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { SaveResult, Store } from '../../src/store/store.ts'
import { NOON } from './records.ts'
import { tempFolder } from './temp.ts'

export type TestStore = Store & AsyncDisposable

const ENGINES: Record<string, (records: readonly PassportRecord[]) => Promise<TestStore>> = {
  async sqlite(records) {
    const folder = tempFolder()
    const store = openSqlite(join(folder.path, 'test.db'))
    await saveRecords(store, records)
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store.close()
        folder[Symbol.dispose]()
      },
    }
  },
}

/** Hands passports in, at the fixed time of the tests. */
export async function saveRecords(store: Store, records: readonly PassportRecord[]): Promise<SaveResult[]> {
  const incoming = records.map((passport) => ({ kind: 'passport' as const, passport }))
  return store.records.save(incoming, { now: NOON, restore: false })
}

type Open = (records?: readonly PassportRecord[]) => Promise<TestStore>

/** Runs the same tests on each engine, its name first in the title. */
export function onEveryEngine(title: string, tests: (open: Open) => void): void {
  for (const [engine, open] of Object.entries(ENGINES)) {
    describe(`${engine}: ${title}`, () => tests((records = []) => open(records)))
  }
}
