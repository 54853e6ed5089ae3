import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { listPassports } from '../../src/api/v1/passports.ts'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { AT_REST } from '../support/changes.ts'
import { expectComplete, found, listed, makeAll, NONE } from '../support/documents.ts'
import { saveRecords } from '../support/engines.ts'
import { record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const IDS = AT_REST.map(({ id }) => ({ id }))
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('-documents-'))
const bodiesIn = (folder: string) => filesIn(folder).filter((name) => !name.endsWith('-places'))

test.each([
  ['cut short', (path: string) => truncateSync(path, 10)],
  ['overwritten', (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'))],
])('where a file of them is %s, that is noticed, and they are made anew', async (_, damage) => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path, { form: V1_PRESS.form })
  await saveRecords(store, AT_REST)
  await makeAll(store)
  const before = filesIn(folder.path)
  for (const name of bodiesIn(folder.path)) damage(join(folder.path, name))
  const document = store.documents.findPassport({ id: 7 })
  expect(document?.read(Buffer.alloc(document.length), 0)).toBe(false)
  expect(found(store, { id: 7 })).toEqual(NONE)
  await makeAll(store)
  await expectComplete(store, IDS)
  const after = filesIn(folder.path)
  expect(after).toHaveLength(3)
  expect(after).not.toEqual(before)
  await store.close()
})

test('a page of the list is read from rows where a document is damaged', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'x.db'), { form: V1_PRESS.form })
  await saveRecords(store, AT_REST)
  await makeAll(store)
  const { fresh } = await listed(store)
  for (const name of bodiesIn(folder.path)) truncateSync(join(folder.path, name), 10)
  expect((await listed(store)).answered).toBeUndefined()
  expect(String((await listPassports(store)('')).body)).toBe(fresh)
  await store.close()
})

test('where their files are gone, or the database was moved, they are made anew', async () => {
  using folder = tempFolder()
  const [first, second] = ['a.db', 'b.db'].map((name) => join(folder.path, name)) as [string, string]
  const store = openSqlite(first, { form: V1_PRESS.form })
  await saveRecords(store, AT_REST)
  await makeAll(store)
  await store.close()
  renameSync(first, second)
  const moved = openSqlite(second, { form: V1_PRESS.form })
  expect(found(moved, { id: 7 })).toEqual(NONE)
  await makeAll(moved)
  await expectComplete(moved, IDS)
  await moved.close()
})

test.each([
  ['read', (path: string) => mkdirSync(path)],
  ['opened', (path: string) => symlinkSync('socket', path)],
])('where a file of them cannot be %s, the rows are', async (_, spoil) => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path, { form: V1_PRESS.form })
  await saveRecords(store, AT_REST)
  await makeAll(store)
  // It is there, but nobody can open it.
  const socket = Bun.listen({ unix: join(folder.path, 'socket'), socket: { data() {} } })
  for (const name of filesIn(folder.path)) {
    rmSync(join(folder.path, name))
    spoil(join(folder.path, name))
  }
  const other = openSqlite(path, { form: V1_PRESS.form })
  const document = other.documents.findPassport({ id: 7 })
  expect(document?.read(Buffer.alloc(document.length), 0) ?? false).toBe(false)
  expect(found(other, { id: 7 })).toEqual(NONE)
  await store.close()
  await other.close()
  socket.stop()
})

test('a generation that cannot be begun leaves no files behind, however often it is tried', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path, { form: V1_PRESS.form })
  using database = new Database(path)
  database.run(`create trigger no_room before update of generation on document_state when new.generation <> ''
    begin select raise(abort, 'no room'); end`)
  for (let time = 0; time < 3; time++) await expect(makeAll(store)).rejects.toThrow()
  expect(filesIn(folder.path).length).toBeLessThanOrEqual(2)
  database.run('drop trigger no_room')
  await saveRecords(store, AT_REST)
  await makeAll(store)
  await expectComplete(store, IDS)
  await store.close()
})

test('they are for their owner alone', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'x.db'))
  await saveRecords(store, AT_REST)
  await makeAll(store)
  const modes = filesIn(folder.path).map((name) => statSync(join(folder.path, name)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o600])
  await store.close()
})

test('where most of them is waste, they are made anew in less', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'x.db'), { form: V1_PRESS.form })
  const people = (turn: number) =>
    Array.from({ length: 100 }, (_, id) =>
      record(id, { profile: { displayName: `${turn}`, bio: 'x'.repeat(400_000) } }),
    )
  const sizes: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    await saveRecords(store, people(turn))
    await makeAll(store)
    await expectComplete(store, [{ id: 7 }])
    sizes.push(filesIn(folder.path).reduce((sum, name) => sum + statSync(join(folder.path, name)).size, 0))
  }
  expect(Math.max(...sizes)).toBeLessThan(130_000_000)
  expect(sizes.at(-1)).toBeLessThan(90_000_000)
  await store.close()
})

test('one that is too large for its place is not kept', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'x.db'), { form: V1_PRESS.form })
  await saveRecords(store, [
    record(1, { profile: { displayName: 'a', bio: 'x'.repeat(1_100_000) } }),
    record(2),
  ])
  await makeAll(store)
  expect(found(store, { id: 1 }).passport).toBeUndefined()
  await expectComplete(store, [{ id: 2 }])
  await store.close()
})
