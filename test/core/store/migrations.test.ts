import { expect, test } from 'bun:test'
import { openStore } from '../../../src/core/store/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { listAll } from '../../support/index/local-index.ts'
import { FIXTURES } from '../../support/migrations/fixtures.ts'
import { addressOf, withEveryEngine } from '../../support/store/engines.ts'
import { execute, select, setSchema } from '../../support/store/execute-sql.ts'
import { computeHead, foldAll } from '../../support/store/hash-chain.ts'
import { IDENTITY } from '../../support/store/open.ts'
import { NOON } from '../../support/store/records.ts'
import { score } from '../../support/store/store-changes.ts'

/** The schemas of version 0.2.1. */
const OLD_SCHEMA = { sqlite: 14, postgres: 9 }

withEveryEngine('a database of version 0.2.1', (makeDatabase, engine) => {
  test('a migration gives the event log a hash chain, and tombstones for events that removals have deleted', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    const { events } = await store.events.listProven({ after: 5, limit: 2 })
    expect(events).toMatchObject([
      { type: 'tombstone', sequence: 6, leaf: '0'.repeat(64) },
      { type: 'passport.added', sequence: 7, salt: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ])
    const log = await foldAll(store)
    expect(log).toMatchObject({ first: 1, length: 15, base: '0'.repeat(64) })
    expect(log.head).toBe(await computeHead(store))
    const owners = await select(database.url, 'select passport_id as id from log_secrets order by 1')
    expect(owners).toEqual(await select(database.url, 'select id from passports order by 1'))
  })

  test('a migration deletes the texts of credential values from score events, and nothing else', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    const dataWith = (one: string, other: string) =>
      JSON.stringify([
        [2, 1],
        [42.5, 40.25],
        [NOON, 1000],
        [
          ['github', 2, 1.5, 2, 0, null, { v: one }],
          ['kites', 0, null, 3],
          ['ens', 1, 1, null, 5, 5, { i: 'v', n: '"v":"', c: 'x', v: other, e: null }],
        ],
        -1,
      ])
    const texts = ['1,734 "v":"\\" \u{1f600}\n\ud800', "ada.eth's"] as const
    const data = dataWith(...texts).replaceAll("'", "''")
    await execute(database.url, `update events set data = '${data}' where sequence = 12`)
    await using store = await openStore(addressOf(database))
    const [latest] = await store.events.listLatest(7, ['score.changed'], 1)
    expect(latest).toMatchObject({
      change: {
        score: [42.5, 40.25],
        human: [true, false],
        calculatedAt: [NOON, NOON + 1000],
        rules: ['2026-11+61951821', ''],
        credentials: [
          { type: 'github', cause: 'value', score: [1.5, 2], before: { value: '', calculatedAt: NOON } },
          { type: 'kites', cause: 'added', score: [null, 3], before: {} },
          {
            ...{ type: 'ens', id: 'v', cause: 'gone', score: [1, null] },
            before: {
              ...{ name: '"v":"', category: 'x', value: '', maxScore: 5, earnedAt: null },
              calculatedAt: NOON - 5,
            },
          },
        ],
      },
    })
    const rows = await select<{ data: string }>(database.url, 'select data from events')
    expect(JSON.stringify(rows)).not.toMatch(/1,734|ada.eth/)
  })

  test('a migration finds the scores of records that no rule set has replaced', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await execute(
      database.url,
      "update passports set rules = '2026-11+61951821', score = 40 where id in (3, 7)",
    )
    await using store = await openStore(addressOf(database))
    await store.scoring.markAll()
    await score(store)
    // Passport 7 has credentials.
    expect((await store.passports.find({ id: 3 }))?.scores.total).toBe(40)
    const rows = await select<{ given: string }>(
      database.url,
      'select given from passports where id in (3, 7) order by id',
    )
    expect(rows.map(({ given }) => JSON.parse(given).score)).toEqual([40, 0])
  })

  test('a migration makes the names in the texts of stored credentials handles', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    const keys = ['ens:lovelace.eth', 'ens:ada.eth', 'lens:ada'].map((handle) => ({ handle, wallet: '' }))
    expect(await store.passports.findByKeys(keys, { credentials: false })).toMatchObject(
      keys.map(() => ({ passport: { id: 7 } })),
    )
  })

  test('a database older than version 0.2.1 is refused with instructions, and stays unchanged', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await execute(database.url, setSchema(engine, OLD_SCHEMA[engine] - 1))
    const address = addressOf(database)
    for (const migrate of [true, 'new', false] as const) {
      await expect(openStore(address, { migrate, create: false })).rejects.toThrow(
        'open it once with version 0.2.1 ("passportd migrate"), then with this version.',
      )
    }
    await execute(database.url, setSchema(engine, OLD_SCHEMA[engine]))
    await using store = await openStore(address)
    await expectFixture(store)
  })
})

async function expectFixture(store: Store): Promise<void> {
  const { items } = await listAll(store, { size: 9 })
  expect(items.map(({ id }) => id)).toEqual([3, 7, 21])
  expect(
    await store.passports.findByKeys([{ handle: 'lens:ada', wallet: '' }], { credentials: false }),
  ).toMatchObject([{ passport: { id: 7 } }])
  const { events, log } = await store.events.list({ after: 0, limit: 100 })
  expect(log).toMatchObject({ first: 1, last: 15 })
  expect(events.map(({ sequence, type }) => `${sequence} ${type}`)).toEqual([
    '1 passport.added',
    '2 passport.added',
    '3 passport.added',
    '4 passport.merged',
    '5 passport.added',
    '7 passport.added',
    '8 rules.changed',
    '9 score.changed',
    '10 score.changed',
    '11 passport.changed',
    '12 score.changed',
    '13 passport.merged',
    '14 passport.changed',
    '15 passport.removed',
  ])
  expect(await store.records.listRemovals()).toEqual([20])
  expect(await store.keys.find('k')).toMatchObject({
    name: 'Key',
    tier: 'high',
    lastUsedAt: NOON,
    scopes: ['read', 'events'],
  })
  expect(await store.data(IDENTITY).find()).toBe('id-of-the-fixture')
}

withEveryEngine('a database with an outdated schema', (makeDatabase) => {
  test('a process that must not migrate refuses a database until another process has created its tables', async () => {
    await using database = await makeDatabase({ bare: true })
    const address = addressOf(database)
    const open = () => openStore(address, { create: false, migrate: false })
    const refusal = /There is no database \S+ yet|has no tables yet: "serve"/
    await expect(open()).rejects.toThrow(refusal)
    await expect(open()).rejects.toThrow(refusal)
    await (await openStore(address)).database.close()
    await using store = await open()
    expect(await listAll(store, { size: 1 })).toMatchObject({ total: 0 })
  })
})
