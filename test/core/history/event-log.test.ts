import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'
import { openStore } from '../../../src/core/store/open.ts'
import { backUp } from '../../../src/features/backup/backup.ts'
import { restore } from '../../../src/features/backup/restore.ts'
import { addressOf, saveRecords, withEveryEngine } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

withEveryEngine('a new database', (makeDatabase) => {
  test('the event log of a new database is empty and begins when the tables are created', async () => {
    await using database = await makeDatabase({ bare: true })
    // SQLite reads the clock itself, and may round the time down.
    const begin = Date.now() - 1
    await using store = await openStore(addressOf(database))
    const log = await store.events.log()
    expect(log).toMatchObject({ name: expect.stringMatching(/^[0-9a-f]{6}$/), first: 1, last: 0 })
    expect(log.knownSince).toBeGreaterThanOrEqual(begin)
    expect(log.knownSince).toBeLessThanOrEqual(Date.now())
  })
})

describe('sqlite: the event log of a backup', () => {
  async function openCopies() {
    const folder = tempFolder()
    const at = (name: string) => join(folder.path, name)
    const store = await openSqlite(at('x.db'))
    await saveRecords(store, [record(1), record(2)])
    return { at, store, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  test('the event log of a backup has the same events as the original, but another name', async () => {
    using copies = await openCopies()
    const { at, store } = copies
    backUp(at('x.db'), at('backup.db'))
    await using copy = await openSqlite(at('backup.db'))
    const [log, other] = [await store.events.log(), await copy.events.log()]
    expect(other).toEqual({ ...log, name: expect.any(String) })
    expect(other.name).not.toBe(log.name)
    const page = { after: 0, limit: 9 }
    expect((await copy.events.list(page)).events).toEqual((await store.events.list(page)).events)
    await store.database.close()
  })

  test('the event log gets another name each time the backup is restored', async () => {
    using copies = await openCopies()
    const { at, store } = copies
    await store.database.close()
    backUp(at('x.db'), at('backup.db'))
    const names = new Set<string>()
    for (const name of ['one.db', 'two.db']) {
      await restore(at('backup.db'), at(name), { force: false, now: NOON })
      await using restored = await openSqlite(at(name))
      names.add((await restored.events.log()).name)
    }
    expect(names.size).toBe(2)
  })
})
