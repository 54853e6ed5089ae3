import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { saveRecords } from '../support/engines.ts'
import { listAll } from '../support/listing.ts'
import { until } from '../support/processes.ts'
import { ada, apiKey, named, record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const all = { page: 1, size: 250, keyword: undefined }

describe('sqlite: the file', () => {
  test('folders on the way to it are made', () => {
    using folder = tempFolder()
    openSqlite(join(folder.path, 'a/b/c.db')).close()
    expect(readFileSync(join(folder.path, 'a/b/c.db')).subarray(0, 15).toString()).toBe('SQLite format 3')
  })

  test('only its owner may read it, and what SQLite keeps beside it', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const store = openSqlite(path)
    await saveRecords(store, [ada])
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
    await store.close()
  })

  test('a change by another process is seen at once', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const [one, two] = [openSqlite(path), openSqlite(path)]
    expect(await two.passports.find({ id: 7 })).toBeUndefined()
    await saveRecords(one, [ada])
    await until(async () => (await two.passports.find({ id: 7 })) !== undefined)
    expect(await listAll(two, all)).toMatchObject({ total: 1, items: [{ id: 7 }] })
    await one.keys.create(apiKey('k'))
    await two.keys.revoke('k', 2)
    expect(await one.keys.find('k')).toMatchObject({ revokedAt: 2 })
    await one.close()
    await two.close()
  })

  test.each([
    [
      'a file that is no database',
      (path: string) => writeFileSync(path, 'Dear diary, '.repeat(500)),
      'is damaged or not a database',
    ],
    ['a folder in its place', (path: string) => mkdirSync(path), 'cannot be opened for writing'],
    [
      'a database of another program',
      (path: string) => new Database(path).run('create table cats (name)'),
      'is a database of another program',
    ],
    [
      'a database of a newer passportd',
      (path: string) => {
        openSqlite(path).close()
        new Database(path).run('pragma user_version = 99')
      },
      'was written by a newer passportd (schema 99',
    ],
  ])('%s is refused in one sentence that names it', (_, prepare, sentence) => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    prepare(path)
    expect(() => openSqlite(path)).toThrow(sentence)
    expect(() => openSqlite(path)).toThrow(path)
  })

  test('a database that is refused is left as it was', () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const theirs = new Database(path)
    theirs.run('create table cats (name)')
    theirs.close()
    const before = readFileSync(path)
    expect(() => openSqlite(path)).toThrow('of another program')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a file that is moved away or replaced while it is open is noticed', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const store = openSqlite(path)
    await store.ping()
    renameSync(path, `${path}.moved`)
    expect(() => store.ping()).toThrow('was moved or replaced')
    writeFileSync(path, 'another one')
    expect(() => store.ping()).toThrow('was moved or replaced')
    await store.close()
  })

  test('a folder that cannot be made is refused in one sentence', () => {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'file'), '')
    expect(() => openSqlite(join(folder.path, 'file/x.db'))).toThrow(
      `The folder ${folder.path}/file cannot be made`,
    )
  })

  test.each([
    ['that lacks the end of its last page', (path: string) => truncateSync(path, statSync(path).size - 1)],
    [
      'whose tables are not what they were',
      (path: string) => {
        using database = new Database(path)
        database.run('alter table wallets rename column address to addres3')
      },
    ],
  ])('a file %s is refused as damaged', (_, damage) => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    openSqlite(path).close()
    damage(path)
    expect(() => openSqlite(path)).toThrow(`${path} is damaged or not a database: restore it from a backup`)
  })

  test('what SQLite does not notice is told as damage, too', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const store = openSqlite(path)
    await saveRecords(store, [ada])
    using database = new Database(path)
    database.run(`update passports set tags = '["math'`)
    expect(() => store.passports.find({ id: 7 })).toThrow(`${path} is damaged`)
    // As where an index has lost what its table has.
    database.run('create unique index one_bio on passports (bio)')
    const twins = [1, 2].map((id) => record(id, { profile: { bio: 'same' } }))
    await expect(saveRecords(store, twins)).rejects.toThrow(`${path} is damaged`)
    await store.close()
  })

  test('a file that is damaged while it is open makes reads unavailable, not wrong', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const first = openSqlite(path)
    await saveRecords(
      first,
      Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
    )
    await first.close()
    const store = openSqlite(path)
    truncateSync(path, 8192)
    const unavailable = expect.objectContaining({ code: 'unavailable' })
    expect(() => store.passports.find({ id: 1990 })).toThrow(unavailable)
    expect(() => store.v1.findPassport({ id: 1990 })).toThrow(unavailable)
    expect(() => store.v1.findCredentials({ wallet: '0x1' })).toThrow(unavailable)
    await store.close()
  })
})

describe('sqlite: the plan of each read', () => {
  function plan(sql: string, ...parameters: (string | number)[]): string {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    openSqlite(path).close()
    const database = new Database(path)
    const steps = database
      .query<{ detail: string }, (string | number)[]>(`explain query plan ${sql}`)
      .all(...parameters)
    database.close()
    return steps.map(({ detail }) => detail).join('\n')
  }

  test('by id and by wallet one row is searched for', () => {
    expect(plan('select body from v1_passports where passport_id = 1')).toBe(
      'SEARCH v1_passports USING INTEGER PRIMARY KEY (rowid=?)',
    )
    expect(plan("select passport_id from wallets where address = 'x'")).toBe(
      'SEARCH wallets USING PRIMARY KEY (address=?)',
    )
  })

  test('the ranking and its changes are read from one index alone', () => {
    expect(plan('select passport_id, score, name from v1_passports where version > ? limit ?', 1, 1)).toBe(
      'SEARCH v1_passports USING COVERING INDEX v1_passports_by_version (version>?)',
    )
  })
})
