import { describe } from 'bun:test'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { PassportRecord, Store } from '../../src/store/store.ts'
import { tempFolder } from './temp.ts'

export type TestStore = Store & AsyncDisposable

const ENGINES: Record<string, (records: readonly PassportRecord[]) => Promise<TestStore>> = {
  async sqlite(records) {
    const folder = tempFolder()
    const store = openSqlite(join(folder.path, 'test.db'))
    await store.passports.save(records)
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store.close()
        folder[Symbol.dispose]()
      },
    }
  },
}

type Open = (records?: readonly PassportRecord[]) => Promise<TestStore>

/** Runs the same tests on each engine, its name first in the title. */
export function onEveryEngine(title: string, tests: (open: Open) => void): void {
  for (const [engine, open] of Object.entries(ENGINES)) {
    describe(`${engine}: ${title}`, () => tests((records = []) => open(records)))
  }
}
