import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectWriter } from '../../../src/core/store/database/sqlite/connect.ts'
import { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'
import { SCHEMA } from '../../../src/core/store/schema.ts'
import { listAll } from '../../support/index/local-index.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { SUBJECTS } from '../../support/store/open.ts'
import { ada, apiKey, named, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

describe('sqlite: the file', () => {
  test('only the owner can read the database file and the files beside it', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'a/b/x.db')
    const store = await openSqlite(path)
    await saveRecords(store, [ada])
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
    await store.database.close()
    await expect(openSqlite(join(path, 'y.db'))).rejects.toThrow(`The folder ${path} cannot be created`)
  })

  test('only the owner can enter the folder of the database, whatever the umask', async () => {
    using folder = tempFolder()
    const before = process.umask(0)
    try {
      await (await openSqlite(join(folder.path, 'a/b/x.db'))).database.close()
    } finally {
      process.umask(before)
    }
    for (const made of ['a', 'a/b']) expect(statSync(join(folder.path, made)).mode & 0o777).toBe(0o700)
  })

  test('every commit is flushed to the disk, and deleted data is overwritten', async () => {
    using folder = tempFolder()
    using writer = await connectWriter(join(folder.path, 'x.db'), true)
    const pragma = (name: string) => Object.values(writer.query(`pragma ${name}`).get() as object)[0]
    // 2 means synchronous = full.
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('secure_delete')).toBe(1)
  })

  test('a change by another process is visible at once', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    await using one = await openSqlite(path)
    await using two = await openSqlite(path)
    expect(await two.passports.find({ id: 7 })).toBeUndefined()
    await saveRecords(one, [ada])
    await until(async () => (await two.passports.find({ id: 7 })) !== undefined)
    expect(await listAll(two)).toMatchObject({ total: 1, items: [{ id: 7 }] })
    await one.keys.create(apiKey('k'))
    await two.keys.revoke('k', 2)
    expect(await one.keys.find('k')).toMatchObject({ revokedAt: 2 })
  })

  const change = async (path: string, sql: string) => {
    await (await openSqlite(path)).database.close()
    using database = new Database(path)
    database.run(sql)
  }
  const DAMAGED = 'is damaged or not a database: restore it from a backup'
  test.each<[string, (path: string) => void | Promise<void>, string]>([
    ['a text file', (path) => writeFileSync(path, 'Dear diary, '.repeat(500)), DAMAGED],
    ['a folder in its place', (path) => mkdirSync(path), 'cannot be opened for writing'],
    [
      'a database of a newer passportd',
      (path) => change(path, `pragma user_version = ${SCHEMA + 1}`),
      `was written by a newer passportd (schema ${SCHEMA + 1}`,
    ],
    [
      'a file without its last byte',
      async (path) => {
        await (await openSqlite(path)).database.close()
        truncateSync(path, statSync(path).size - 1)
      },
      DAMAGED,
    ],
    [
      'a database with a changed table',
      (path) => change(path, 'alter table wallets rename column address to addres3'),
      DAMAGED,
    ],
  ])('%s is refused in one sentence that names the file', async (_, prepare, sentence) => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    await prepare(path)
    await expect(openSqlite(path)).rejects.toThrow(`${path} ${sentence}`)
  })

  test.each([0, 0x47504b47])(
    'a database of another program with application_id %d is refused and left unchanged',
    async (id) => {
      using folder = tempFolder()
      const path = join(folder.path, 'x.db')
      using theirs = new Database(path)
      theirs.run('create table cats (name)')
      theirs.run(`pragma application_id = ${id}`)
      const before = readFileSync(path)
      await expect(openSqlite(path)).rejects.toThrow(`${path} is a database of another program`)
      expect(readFileSync(path).equals(before)).toBe(true)
    },
  )

  test('the store detects that its file was moved or replaced while open', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    await using store = await openSqlite(path)
    await store.database.ping()
    renameSync(path, `${path}.moved`)
    expect(() => store.database.ping()).toThrow('was moved or replaced')
    writeFileSync(path, 'another one')
    expect(() => store.database.ping()).toThrow('was moved or replaced')
  })

  test('a write that violates a constraint reports damage that SQLite did not detect', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    await using store = await openSqlite(path)
    using database = new Database(path)
    // With this index, the write violates a constraint, as it could if an index were damaged.
    database.run('create unique index one_profile on passports (profile)')
    const twins = [1, 2].map((id) => record(id, { profile: { displayName: 'same' } }))
    await expect(saveRecords(store, twins)).rejects.toThrow(`${path} is damaged`)
  })

  test('reads fail as unavailable if the file is damaged while it is open', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const first = await openSqlite(path)
    await saveRecords(
      first,
      Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
    )
    await first.database.close()
    await using store = await openSqlite(path)
    truncateSync(path, 8192)
    const unavailable = expect.objectContaining({ code: 'unavailable' })
    await expect(store.passports.find({ id: 1990 })).rejects.toThrow(unavailable)
    expect(() => store.passports.findByKeys([{ id: 1990 }], { credentials: true })).toThrow(unavailable)
    expect(() => store.data(SUBJECTS).find('0x1')).toThrow(unavailable)
  })
})
