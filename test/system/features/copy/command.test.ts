import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../../../src/core/store/database-address.ts'
import type { Store } from '../../../../src/core/store/store.ts'
import type { CopyRow } from '../../../../src/features/copy/statements.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { COPY } from '../../../support/features/copy.ts'
import { USAGE } from '../../../support/features/keys.ts'
import { MIRROR } from '../../../support/features/mirror.ts'
import { PLAN } from '../../../support/features/retire.ts'
import { listAll } from '../../../support/index/local-index.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../support/store/engines.ts'
import { COPY_NOTE, openStore, parseDatabaseAddress, RULE_SETS } from '../../../support/store/open.ts'
import {
  ada,
  apiKey,
  dataPoint,
  GRACE_OLD_WALLET,
  NOON,
  named,
  PEOPLE,
  record,
} from '../../../support/store/records.ts'
import { adoptRules, DEFAULT_RULES } from '../../../support/store/scoring.ts'
import { tableOf } from '../../../support/store/store-changes.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const MANY = Array.from({ length: 700 }, (_, at) => named(1000 + at, `Person ${at}`, at % 90))

/** Addresses of two SQLite databases and one PostgreSQL database. Only `sqlite` has contents. */
async function databases() {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(tempFolder())
  const server = stack.use(await testDatabase())
  const kept = stack.move()
  const path = join(folder.path, 'a.db')
  filled ??= makeFilled()
  writeFileSync(path, await filled, { mode: 0o600 })
  return {
    cwd: folder.path,
    sqlite: `sqlite:${path}`,
    other: `sqlite:${join(folder.path, 'b.db')}`,
    postgres: server.url,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore(parseDatabaseAddress(url) as DatabaseAddress)
  return await work(store)
}

const fill = (url: string) =>
  withStore(url, async (store) => {
    // The last passport has the fields that only V2 shows.
    const later = { imageUrl: '/own.png', mainWalletChangedAt: NOON, nominations: 4 }
    await saveRecords(store, [...PEOPLE, ...MANY, { ...named(1700, 'Late'), ...later }])
    const point = dataPoint('github', 4, 'grace')
    await store.records.save([{ kind: 'data-point', passport: { id: 3 }, point }], {
      now: NOON,
      restore: false,
    })
    await store.passports.remove(12, NOON)
    await store.data(RULE_SETS).apply({ stamp: 'rules-1', body: '{}', appliedAt: NOON, source: 'apply' })
    await adoptRules({ store, rules: { ...DEFAULT_RULES, stamp: 'rules-1' } })
    await store.keys.create(apiKey('k1', { hash: Buffer.alloc(32, 7) }))
    const more = { tier: 'high', owner: 'a@example.com', expiresAt: NOON + 1 }
    await store.keys.create(apiKey('k2', { ...more, hash: Buffer.alloc(32, 9) }))
    await store.keys.revoke('k1', NOON + 5)
    await store.data(USAGE).add(
      [
        { day: '2026-01-01', key: 'k1', endpoint: 'list', status: 200, count: 5 },
        { day: '2026-01-02', key: '', endpoint: 'passport', status: 404, count: 1 },
      ],
      new Map([['k1', NOON]]),
    )
    await store.data(PLAN).save({ sunsetAt: NOON, brownouts: [], exempt: ['k1'] })
    await store.data(MIRROR).begin('https://example.com')
    for (const id of [3, 7, 1500]) {
      const seen = { passportEtag: `"${id}"`, credentialsEtag: '', run: 1 }
      await store.data(MIRROR).note('https://example.com', id, seen)
    }
  })

/** The database file is filled once, because copying it is faster. */
let filled: Promise<Uint8Array> | undefined

async function makeFilled(): Promise<Uint8Array> {
  using folder = tempFolder()
  const path = join(folder.path, 'a.db')
  await fill(`sqlite:${path}`)
  return readFileSync(path)
}

const everything = (url: string) =>
  withStore(url, async (store) => ({
    tables: await Promise.all((await store.data(COPY).listTables()).map(({ list }) => list({}))),
    keys: await store.keys.list(),
    usage: await store.data(USAGE).list({ since: '2026-01-01', until: '2026-12-31' }),
    plan: await store.data(PLAN).find(),
    rules: await store.data(RULE_SETS).active(),
    stale: await store.scoring.countStale(),
    removals: await store.records.listRemovals(),
    seen: await store.data(MIRROR).find('https://example.com', 7),
    merged: await store.passports.find({ wallet: GRACE_OLD_WALLET }),
    found: (await listAll(store, { page: 1, size: 5, keyword: 'person 11' })).total,
  }))

test('copy transfers all contents to PostgreSQL and back, and prints counts and checksums', async () => {
  await using at = await databases()
  const there = await callHere(['copy', at.sqlite, at.postgres])
  expect(there.code).toBe(0)
  expect(there.out).toMatch(/^passports +704 +704 +[0-9a-f]{16}$/m)
  expect(there.out).toMatch(/^keys +2 +2 +[0-9a-f]{16}$/m)
  expect(there.out).toMatch(/^usage +2 +2 /m)
  expect(there.out).toMatch(/^mirrored +3 +3 /m)
  expect(there.out).toMatch(/^rule sets +1 +1 /m)
  expect(there.err).toContain('now has the same contents as')
  const back = await callHere(['copy', at.postgres, at.other])
  expect(back.code).toBe(0)
  const before = await everything(at.sqlite)
  expect(before.stale).toBeGreaterThan(0)
  expect(before.rules).toMatchObject({ stamp: 'rules-1' })
  expect(await everything(at.postgres)).toEqual(before)
  expect(await everything(at.other)).toEqual(before)
  expect(back.out).toBe(there.out)
})

test('COPY_FROM_URL and COPY_TO_URL_FILE name the databases, so that arguments show no password', async () => {
  await using at = await databases()
  const file = join(at.cwd, 'target')
  writeFileSync(file, `${at.postgres}\n`)
  const env = { COPY_FROM_URL: at.sqlite, COPY_TO_URL_FILE: file }
  expect((await callHere(['copy'], { env })).err).toContain('now has the same contents as')
  expect(await everything(at.postgres)).toEqual(await everything(at.sqlite))
  expect(await callHere(['copy', '--forget'], { env })).toMatchObject({ code: 0, out: '' })
  // Arguments take precedence over the variables.
  expect((await callHere(['copy', at.sqlite, at.other], { env })).code).toBe(0)
  expect(await everything(at.other)).toEqual(await everything(at.sqlite))
})

test('copy refuses a target that is not empty unless --replace is given; --replace also transfers later changes', async () => {
  await using at = await databases()
  await withStore(at.postgres, (store) =>
    saveRecords(store, [
      record(5),
      record(9999),
      { ...ada, id: 8, profile: { ...ada.profile, displayName: 'Old' } },
    ]),
  )
  const refused = await callHere(['copy', at.sqlite, at.postgres])
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain('is not empty: it has passports. --replace')
  expect(refused.err).not.toContain('open-sesame')
  expect(await withStore(at.postgres, async (store) => (await store.records.list(-1, 9)).length)).toBe(3)

  const replaced = await callHere(['copy', at.sqlite, at.postgres, '--replace'])
  expect(replaced.code).toBe(0)
  expect(await everything(at.postgres)).toEqual(await everything(at.sqlite))

  await withStore(at.sqlite, (store) => saveRecords(store, [named(9000, 'Late')]))
  const again = await callHere(['copy', at.sqlite, at.postgres, '--replace'])
  expect(again.code).toBe(0)
  expect(again.out).toMatch(/^passports +705 +155 /m)
  expect(await everything(at.postgres)).toEqual(await everything(at.sqlite))
})

test('when an interrupted copy is run again, it writes only the batches that differ', async () => {
  await using at = await databases()
  await withStore(at.sqlite, (from) =>
    withStore(at.postgres, async (to) => {
      const { list, keyOf } = await tableOf(from, 'passports')
      const rows = await list({ limit: 200 })
      await (await tableOf(to, 'passports')).replace({ until: keyOf(rows.at(-1) as CopyRow) }, rows)
      await to.data(COPY_NOTE).save(at.sqlite.replace('sqlite:', ''))
    }),
  )
  const { code, out } = await callHere(['copy', at.sqlite, at.postgres])
  expect(code).toBe(0)
  // Batches have 50, then 500 passports. Only the first is already in the target, so the others are written.
  expect(out).toMatch(/^passports +704 +654 /m)
  expect(await everything(at.postgres)).toEqual(await everything(at.sqlite))
})

test('serve and import refuse an incomplete copy until "copy --forget" accepts it', async () => {
  using folder = tempFolder()
  const database = `sqlite:${join(folder.path, 'a.db')}`
  await withStore(database, async (store) => store.data(COPY_NOTE).save('elsewhere'))
  const env = { DATABASE_URL: database, PORT: '0' }
  const file = join(folder.path, 'people.jsonl')
  writeFileSync(file, '{"passport_id":1}\n')
  for (const args of [['serve'], ['import', file]]) {
    const { code, err } = await callHere(args, { env })
    expect(code).toBe(1)
    expect(err).toContain('The copy of elsewhere to')
  }
  expect((await callHere(['copy', '--forget', database])).code).toBe(0)
  expect((await callHere(['import', file], { env })).code).toBe(0)
})

test('a database is not copied to itself under another name', async () => {
  using folder = tempFolder()
  const database = `sqlite:${join(folder.path, 'a.db')}`
  await withStore(database, (store) => saveRecords(store, PEOPLE))
  const { code, err } = await callHere(['copy', database, `sqlite:${folder.path}/./a.db`, '--replace'])
  expect(code).toBe(2)
  expect(err).toContain('cannot be copied to itself')
  expect(await withStore(database, async (store) => (await store.records.list(-1, 9)).length)).toBe(4)
})
