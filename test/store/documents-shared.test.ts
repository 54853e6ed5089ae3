import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Press, Store } from '../../src/store/store.ts'
import { expectComplete, expectTrue, found, makeAll, NONE, rendered } from '../support/documents.ts'
import { saveRecords } from '../support/engines.ts'
import { until } from '../support/processes.ts'
import { credential, record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

/** More than are cleared away in one step. */
const MANY = 5100

const NEXT_PRESS: Press = {
  form: 'next',
  passport: (passport) => `next ${V1_PRESS.passport(passport)}`,
  credentials: (credentials) => `next ${V1_PRESS.credentials(credentials)}`,
}

const people = (count: number) =>
  Array.from({ length: count }, (_, id) =>
    record(id, { scores: { total: 1, identity: 1 }, credentials: [credential(`c-${id}`)] }),
  )

/** A file that several have open. */
async function shared(count: number) {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const stores: Store[] = []
  const open = (form?: string) => {
    stores.push(openSqlite(path, { form }))
    return stores.at(-1) as Store
  }
  await saveRecords(open(), people(count))
  return {
    path,
    open,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close()
      folder[Symbol.dispose]()
    },
  }
}

test('documents are found by whoever knows their form, and by nobody else', async () => {
  await using file = await shared(2)
  const maker = file.open()
  await makeAll(maker)
  expect(found(file.open(V1_PRESS.form), { id: 1 })).toEqual(await rendered(maker, { id: 1 }))
  expect(found(file.open('next'), { id: 1 })).toEqual(NONE)
  expect(found(file.open(), { id: 1 })).toEqual(NONE)
})

test('documents of another form are never found, from the first step of clearing them away', async () => {
  await using file = await shared(MANY)
  const [old, next] = [file.open(V1_PRESS.form), file.open(NEXT_PRESS.form)]
  await makeAll(old)
  await next.documents.make(10, NEXT_PRESS)
  await Bun.sleep(10)
  for (const store of [old, next]) {
    for (const id of [0, MANY - 1]) expect(found(store, { id })).toEqual(NONE)
  }
  await makeAll(next, NEXT_PRESS)
  await Bun.sleep(10)
  for (const id of [0, MANY - 1]) {
    expect(found(old, { id })).toEqual(NONE)
    expect(found(next, { id })).toEqual(await rendered(next, { id }, NEXT_PRESS))
  }
})

test('of two programs with different forms the last to begin makes its own, and the other rests', async () => {
  await using file = await shared(30)
  const [old, next] = [file.open(), file.open()]
  await makeAll(old)
  await makeAll(next, NEXT_PRESS)
  await saveRecords(old, [record(31)])
  expect(await old.documents.make(10, V1_PRESS)).toBe(0)
  expect(await next.documents.make(10, NEXT_PRESS)).toBe(1)
  const again = file.open()
  await makeAll(again)
  await expectComplete(again, [{ id: 31 }])
  expect(await next.documents.make(10, NEXT_PRESS)).toBe(0)
})

test('clearing away that was broken off goes on with the next process of that form', async () => {
  await using file = await shared(MANY)
  await makeAll(file.open())
  expect(await file.open().documents.make(10, NEXT_PRESS)).toBe(5000)
  expect(await file.open().documents.make(10, NEXT_PRESS)).toBe(MANY - 5000)
})

test('what another process writes costs documents as well, whatever it writes with', async () => {
  await using file = await shared(6)
  const store = file.open()
  await makeAll(store)
  const other = new Database(file.path)
  other.run("update passports set bio = 'by hand' where id = 0")
  other.run("update credentials set name = 'by hand' where passport_id = 1")
  other.run('delete from credentials where passport_id = 2')
  other.run('update passports set merged_into = 4 where id = 3')
  other.run('update passports set stale = 1 where id = 5')
  other.close()
  await Bun.sleep(10)
  const refs = Array.from({ length: 6 }, (_, id) => ({ id }))
  await expectTrue(store, refs)
  await makeAll(store)
  await expectTrue(store, refs)
  await expectComplete(store, refs)
})

test('passports of a database from before there were documents get theirs', async () => {
  await using file = await shared(3)
  const before = new Database(file.path)
  const { sql } = before
    .query<{ sql: string }, []>(
      `select group_concat('drop ' || type || ' ' || name, ';') as sql from sqlite_schema
       where type = 'table' and (name like '%document%' or name in ('wallet_keys', 'moved_wallets'))
         or type = 'trigger' and tbl_name in ('passports', 'credentials', 'wallets')`,
    )
    .get() as { sql: string }
  before.run(`${sql}; alter table keys drop column successor`)
  before.run('pragma user_version = 3')
  before.close()
  const store = file.open()
  await makeAll(store)
  await expectComplete(store, [{ id: 0 }, { id: 1 }, { id: 2 }])
})

test('whoever writes is not held up: documents are made later', async () => {
  await using file = await shared(3)
  const [store, other] = [file.open(), new Database(file.path)]
  other.run('begin immediate')
  expect(await store.documents.make(10, V1_PRESS)).toBeUndefined()
  other.run('commit')
  other.close()
  await makeAll(store)
  await expectComplete(store, [{ id: 2 }])
})

test('several processes make them together; one that is killed leaves nothing false or forgotten', async () => {
  await using file = await shared(3000)
  const script = join(import.meta.dir, '../support/making.ts')
  const start = () => Bun.spawn([process.execPath, script, file.path], { stdout: 'pipe' })
  const store = file.open(V1_PRESS.form)
  const refs = Array.from({ length: 3000 }, (_, id) => ({ id }))
  const children = [start(), start(), start()]
  await until(() => found(store, { id: 500 }).passport !== undefined)
  children[0]?.kill('SIGKILL')
  await until(() => found(store, { id: 1000 }).passport !== undefined)
  children[1]?.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
  expect(children[2]?.exitCode).toBe(0)
  await expectTrue(store, refs)
  await expectComplete(store, refs)
})
