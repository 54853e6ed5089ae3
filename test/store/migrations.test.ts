import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/config/database-address.ts'
import type { Social } from '../../src/domain/passport.ts'
import { openStore } from '../../src/store/open.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { check } from '../../src/store/sqlite/backup/backup.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { connect } from '../support/postgres/connect.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { listAll } from '../support/store/catalog.ts'
import { saveRecords, withEveryEngine } from '../support/store/engines.ts'
import { revertSchema } from '../support/store/execute-sql.ts'
import { ada, apiKey, NOON, PEOPLE, record } from '../support/store/records.ts'
import { score } from '../support/store/store-changes.ts'
import { expectV1 } from '../support/store/v1-responses.ts'
import { tempFolder } from '../support/temp-folder.ts'
import people from './fixtures/people.sql' with { type: 'text' }
import postgres3 from './fixtures/postgres-3.sql' with { type: 'text' }
import postgres3To4 from './fixtures/postgres-3-to-4.sql' with { type: 'text' }
import sqlite3 from './fixtures/sqlite-3.sql' with { type: 'text' }
import sqlite3To8 from './fixtures/sqlite-3-to-8.sql' with { type: 'text' }
import sqlite8To9 from './fixtures/sqlite-8-to-9.sql' with { type: 'text' }
import storedBodies from './fixtures/stored-bodies.sql' with { type: 'text' }

const KEY = apiKey('k', { name: 'Key', hash: new Uint8Array([1, 2]), tier: 'high', owner: 'a@example.com' })

/** Both engines have the same columns; only the literal of the hash differs. */
const keyRow = (hash: string) => `insert into keys (id, name, hash, created_at, tier, owner)
  values ('k', 'Key', ${hash}, 1, 'high', 'a@example.com');`

async function expectPeople(store: Store): Promise<void> {
  await expectV1(store, [{ id: 7 }, { id: 9 }, { id: 12 }, { wallet: 'So1ana' }, { wallet: '0xgrace' }])
  expect((await store.v1.findPassport({ id: 9 }))?.body).toContain('Ada Lovélace 🐉')
  expect(await store.v1.findPassport({ wallet: '0xgrace' })).toMatchObject({ id: 7, merged: 1 })
  const found = await store.credentials.find({ id: 7 })
  expect(found?.credentials.map(({ id }) => id)).toEqual(['c-1', 'p-1', 'c-2'])

  const [ada, grace, bob] = await store.records.list(-1, 10)
  expect(ada).toMatchObject({
    scores: { total: 42.5, activity: 12, identity: 10.25, skills: 20.25 },
    human: true,
    givenHuman: false,
    rules: 'rules-1',
    socials: [{ name: 'ada', followers: '1842' }],
    dataPoints: [{ type: 'active_wallet', account: '0xada', display: 'Since 2015' }],
  })
  expect(ada?.credentials).toMatchObject([
    { id: 'c-1', givenScore: 20.25, earnedAt: 1438905600000, value: 'ada' },
    { id: 'c-2', givenScore: 10.25 },
    { id: 'c-3', givenScore: 3, superseded: true },
    { id: 'p-1', score: 12, calculatedAt: NOON },
  ])
  expect(ada?.credentials?.[3]).not.toHaveProperty('givenScore')
  expect(grace).toMatchObject({ id: 9, mergedInto: 7, credentials: [{ value: 'grace.eth' }] })
  expect(bob).toMatchObject({ id: 12, stale: true, credentials: [] })

  expect(await listAll(store, { page: 1, size: 9, keyword: 'love' })).toMatchObject({
    items: [{ id: 7 }],
    total: 1,
  })
  expect(await listAll(store, { page: 1, size: 9, keyword: undefined })).toMatchObject({
    items: [{ id: 7 }, { id: 12 }],
    total: 2,
  })
  const byHandle = await store.v3.find([{ handle: 'active_wallet:0xada', wallet: '' }], { credentials: true })
  expect(byHandle).toMatchObject([{ passport: { id: 7, mergedFrom: [9] } }])
  expect(await store.records.listRemovals()).toEqual([13])
  expect(await store.keys.find('k')).toEqual(KEY)
}

/** Opens the database twice: the first time migrates it, the second time changes nothing. */
async function expectMigration(open: (onMigrate: (done: number, total: number) => void) => Promise<Store>) {
  const progress: number[][] = []
  const onMigrate = (done: number, total: number) => void progress.push([done, total])
  const first = await open(onMigrate)
  expect(progress.at(-1)).toEqual([3, 3])
  // Several passes over all passports are one progress, which never goes back.
  expect(progress).toEqual(progress.toSorted(([one = 0], [other = 0]) => one - other))
  expect(progress.slice(0, -1)).not.toContainEqual([3, 3])
  await expectPeople(first)
  await first.close()
  progress.length = 0
  const second = await open(onMigrate)
  expect(progress).toEqual([])
  await expectPeople(second)
  await second.close()
}

/** The ETag of Ada's response in fixtures/stored-bodies.sql. */
const ADA_ETAG = '"3isc0jyc9zbvv"'

/** Both responses of fixtures/stored-bodies.sql are right, before and after Bob is scored. */
async function expectStoredBodies(open: () => Promise<Store>): Promise<void> {
  const refs = [{ id: 7 }, { id: 12 }, { wallet: '0xbob' }]
  const store = await open()
  const before = await expectV1(store, refs)
  expect(await store.v1.findPassport({ id: 7 })).toMatchObject({ etag: ADA_ETAG })
  expect((await store.v1.findPassport({ id: 7 }))?.body).toContain('"bio":"Première 🐉"')
  expect((await store.v1.findPassport({ id: 12 }))?.body).toContain('"calculating_score":true')
  expect(await store.v1.listItems([7, 12])).toEqual([
    expect.stringContaining('"calculating_score":false'),
    expect.stringContaining('"display_name":"Боб 🪁"'),
  ])
  await score(store)
  await expectV1(store, refs, before)
  expect((await store.v1.findPassport({ id: 12 }))?.body).toContain('"calculating_score":false')
  await store.close()
  const again = await open()
  expect(await again.v1.findPassport({ id: 7 })).toMatchObject({ etag: ADA_ETAG })
  await again.close()
}

function makeFile(path: string, version: number, sql: string): void {
  using old = new Database(path)
  old.run('pragma journal_mode = wal')
  old.run(sql)
  old.run(`pragma application_id = ${0x70617373}`)
  old.run(`pragma user_version = ${version}`)
}

describe('sqlite: a database of an earlier version', () => {
  test('has the same counts in a backup before and after its migration', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    makeFile(path, 8, `${sqlite3 + sqlite3To8};${people}`)
    const { passports, credentials } = check(path)
    // Superseded credentials count, and those of merged passports.
    expect({ passports, credentials }).toEqual({ passports: 3, credentials: 5 })
    await openSqlite(path).close()
    expect(check(path)).toMatchObject({ passports, credentials })
  })

  test.each([
    [3, sqlite3, people],
    // Triggers of version 8 record each written row.
    [8, sqlite3 + sqlite3To8, people],
    [8, sqlite3, people + sqlite3To8],
  ])('%i is migrated without loss, and the files beside it are removed', async (version, schema, rows) => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const names = "insert into names (rowid, grams) values (7, 'ada')"
    makeFile(path, version, `${schema};${rows};${keyRow("x'0102'")};${names}`)
    const files = ['1-passports', '1-credentials', '1-places'].map((name) => `${path}-documents-${name}`)
    for (const file of files) writeFileSync(file, 'Ada')
    await expectMigration(async (onMigrate) => openSqlite(path, { onMigrate }))
    expect(files.filter(existsSync)).toEqual([])
    using database = new Database(path, { readonly: true })
    const left = database
      .query<{ name: string }, []>(
        `select name from sqlite_schema where type = 'trigger' or name like '%document%' or name like 'names%'
           or name like '%wallet_keys' or name = 'credential_rows'`,
      )
      .all()
    expect(left).toEqual([])
    expect(database.query('pragma foreign_key_check').all()).toEqual([])
  })

  test('9 with complete stored bodies keeps the responses and the ETags of passports that are not stale', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    makeFile(path, 9, `${sqlite3};${sqlite3To8};${sqlite8To9};${storedBodies}`)
    await expectStoredBodies(async () => openSqlite(path))
  })
})

describe('postgres: a database of an earlier version', () => {
  test('3 is migrated without loss', async () => {
    await using database = await testDatabase()
    await using sql = connect(database.url)
    await sql.unsafe(postgres3)
    await sql.unsafe(people)
    await sql.unsafe(keyRow("decode('0102', 'hex')"))
    await sql.unsafe("insert into names values (7, 'ada lovelace')")
    await sql.unsafe('create table passportd (version integer not null)')
    await sql.unsafe('insert into passportd values (3)')
    await expectMigration((onMigrate) => openPostgres(database, { onMigrate }))
    const left = await sql`select from pg_tables where tablename in ('names', 'credential_rows')`
    expect(left).toHaveLength(0)
  })

  test('4 with complete stored bodies keeps the responses and the ETags of passports that are not stale', async () => {
    await using database = await testDatabase()
    await using sql = connect(database.url)
    for (const script of [postgres3, postgres3To4, storedBodies]) await sql.unsafe(script)
    await sql.unsafe('create table passportd (version integer not null)')
    await sql.unsafe('insert into passportd values (4)')
    await expectStoredBodies(() => openPostgres(database))
  })
})

withEveryEngine('a database of the previous version', (makeDatabase) => {
  test('keeps all records and V1 responses, and V2 shows the images of its socials', async () => {
    await using database = await makeDatabase()
    const address = parseDatabaseAddress(database.url) as DatabaseAddress
    // More than one batch of the migration, and a merged passport with an image.
    const social = (imageUrl: string) => ({ ...(ada.socials[0] as Social), imageUrl })
    const many = Array.from({ length: 1100 }, (_, at) =>
      record(1000 + at, { socials: [social('avatar'), social(`https://example.com/${at}.png`)] }),
    )
    const merged = record(901, { mergedInto: 3, socials: ada.socials })
    const open = () => openStore(address)
    const everything = async (store: Store) => ({
      records: await store.records.list(-1, 2000),
      v1: await store.v1.listItems(many.map(({ id }) => id)),
      v2: await store.v2.listItems(many.map(({ id }) => id)),
      ada: [await store.v1.findPassport({ id: 7 }), await store.v2.findPassport({ id: 7 })],
      merged: await store.v2.findPassport({ id: 901 }),
    })
    const old = await open()
    await saveRecords(old, [...PEOPLE, merged, ...many])
    const before = await everything(old)
    await old.close()
    await revertSchema(database.url)

    const store = await open()
    expect(await everything(store)).toEqual(before)
    expect(before.v2[1099]).toContain('"image_url":"https://example.com/1099.png"')
    await store.passports.unmerge(901)
    expect((await store.v2.findPassport({ id: 901 }))?.body).toContain(
      '"image_url":"https://example.com/lens/ada.png"',
    )
    await store.close()
  })
})
