import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openPostgres } from '../../../src/store/postgres/open.ts'
import { backUp } from '../../../src/store/sqlite/backup/backup.ts'
import { restore } from '../../../src/store/sqlite/backup/restore.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { connect } from '../../support/postgres/connect.ts'
import { databaseMaker, saveRecords } from '../../support/store/engines.ts'
import { ada, NOON, record } from '../../support/store/records.ts'
import { readStates } from '../../support/store/score-states.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const EVENT_TABLES = ['events', 'event_log', 'event_rules']

/** The log of a migrated database is empty, and begins with the first change. */
async function expectNewLog(store: Store, begin: number): Promise<void> {
  const log = await store.events.log()
  expect(log).toMatchObject({ name: expect.stringMatching(/^[0-9a-f]{6}$/), first: 1, last: 0 })
  expect(log.knownSince).toBeGreaterThanOrEqual(begin)
  expect(log.knownSince).toBeLessThanOrEqual(Date.now())
  const now = log.knownSince + 1
  await store.records.save([{ kind: 'passport', passport: { ...ada, connections: 99 } }], {
    now,
    restore: false,
  })
  const { events } = await store.events.list({ after: 0, limit: 9 })
  expect(events).toMatchObject([{ sequence: 1, type: 'passport.changed', fields: ['connections_count'] }])
  expect(await store.events.log()).toEqual({ ...log, last: 1 })
}

describe('a database without an event log', () => {
  test('sqlite: gets one when it is migrated, and keeps its passports', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const before = openSqlite(path)
    await saveRecords(before, [ada])
    const states = await readStates(before)
    await before.close()
    const old = new Database(path)
    for (const table of EVENT_TABLES) old.run(`drop table ${table}`)
    old.run('pragma user_version = 13')
    old.close()
    // SQLite stores milliseconds of its own clock.
    const begin = Date.now() - 1
    const store = openSqlite(path)
    expect(await readStates(store)).toEqual(states)
    await expectNewLog(store, begin)
    await store.close()
  })

  test('postgres: gets one when it is migrated, and keeps its passports', async () => {
    await using database = await databaseMaker('postgres')()
    const before = await openPostgres(database)
    await saveRecords(before, [ada])
    const states = await readStates(before)
    await before.close()
    const sql = connect(database.url)
    for (const table of EVENT_TABLES) await sql.unsafe(`drop table ${table}`)
    await sql.unsafe('update passportd set version = 8')
    await sql.close()
    const begin = Date.now() - 1
    const store = await openPostgres(database)
    expect(await readStates(store)).toEqual(states)
    await expectNewLog(store, begin)
    await store.close()
  })
})

describe('sqlite: the event log of a backup', () => {
  async function openCopies() {
    const folder = tempFolder()
    const at = (name: string) => join(folder.path, name)
    const store = openSqlite(at('x.db'))
    await saveRecords(store, [record(1), record(2)])
    return { at, store, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  test('has another name, and the same events', async () => {
    using copies = await openCopies()
    const { at, store } = copies
    backUp(at('x.db'), at('backup.db'))
    const copy = openSqlite(at('backup.db'))
    const [log, other] = [await store.events.log(), await copy.events.log()]
    expect(other).toEqual({ ...log, name: expect.any(String) })
    expect(other.name).not.toBe(log.name)
    const page = { after: 0, limit: 9 }
    expect((await copy.events.list(page)).events).toEqual((await store.events.list(page)).events)
    await Promise.all([copy.close(), store.close()])
  })

  test('gets another name each time it is restored', async () => {
    using copies = await openCopies()
    const { at, store } = copies
    await store.close()
    backUp(at('x.db'), at('backup.db'))
    const names = new Set<string>()
    for (const name of ['one.db', 'two.db']) {
      restore(at('backup.db'), at(name), { force: false, now: NOON })
      const restored = openSqlite(at(name))
      names.add((await restored.events.log()).name)
      await restored.close()
    }
    expect(names.size).toBe(2)
  })
})
