import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { expectComplete, expectTrue, found, makeAll, rendered } from '../support/documents.ts'
import { saveRecords } from '../support/engines.ts'
import { credential, record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

/** More than the file is filled with in one step. */
const MANY = 5100
const REFS = [0, 1, 500, MANY - 1].map((id) => ({ id }))

const people = (count: number, bio = '') =>
  Array.from({ length: count }, (_, id) =>
    record(id, { profile: { bio }, scores: { total: 1, identity: 1 }, credentials: [credential(`c-${id}`)] }),
  )

/** A database with documents, and somebody else who looks into it. */
async function prepare(records = people(3)) {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const open = () => openSqlite(path, { form: V1_PRESS.form })
  const store = open()
  await saveRecords(store, records)
  await makeAll(store)
  const other = new Database(path)
  return {
    path,
    open,
    store,
    placesPath: () =>
      join(folder.path, readdirSync(folder.path).find((name) => name.endsWith('-places')) as string),
    change(sql: string) {
      other.run(sql)
      // For so long reads share a view.
      return Bun.sleep(10)
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      other.close()
      folder[Symbol.dispose]()
    },
  }
}

/** What the file says of a passport: the places of its two documents. */
function placesOf(path: string, id: number): number[] {
  const file = openSync(path, 'r')
  const slot = new Float64Array(4)
  readSync(file, new Uint8Array(slot.buffer), 0, 32, (id + 1) * 32)
  closeSync(file)
  return [slot[0] as number, slot[2] as number]
}

test('documents are found by what the file of places says, without the tables', async () => {
  await using here = await prepare()
  // As nobody does: the tables are left with nothing, and the queue does not know.
  await here.change('drop trigger passport_document_deleted')
  await here.change('delete from passport_documents')
  expect(found(here.store, { id: 1 })).toEqual(await rendered(here.store, { id: 1 }))
})

test('it says nothing of passports that have gone, wait or are merged, once they were through the queue', async () => {
  await using here = await prepare()
  const path = here.placesPath()
  expect(placesOf(path, 0).every((place) => place > 0)).toBe(true)
  await here.change('update passports set stale = 1 where id = 0')
  await here.store.passports.remove(1, 0)
  await here.store.passports.merge(2, 0)
  for (const id of [0, 1, 2]) expect(found(here.store, { id }).passport).toBeUndefined()
  await makeAll(here.store)
  expect([0, 1, 2].map((id) => placesOf(path, id)[0])).toEqual([0, 0, 0])
  expect(placesOf(path, 1)).toEqual([0, 0])
})

test.each([
  ['gone', (path: string) => rmSync(path)],
  ['cut short', (path: string) => truncateSync(path, 40)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['overwritten', (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xff))],
])(
  'where the file is %s, what is answered stays true, and all is found after it was filled anew',
  async (_, spoil) => {
    await using here = await prepare(people(MANY))
    spoil(here.placesPath())
    await expectTrue(here.store, REFS)
    const again = here.open()
    await expectTrue(again, REFS)
    await saveRecords(again, people(1, 'changed'))
    await makeAll(again)
    for (const store of [again, here.store]) {
      await expectTrue(store, REFS)
      await expectComplete(store, REFS)
    }
    await again.close()
  },
)

test('beside a database of another time it is not believed', async () => {
  await using here = await prepare(people(3, 'old'))
  const backup = `${here.path}.backup`
  await here.change(`vacuum into '${backup}'`)
  await saveRecords(here.store, people(3, 'new'))
  await makeAll(here.store)
  await here.store.close()
  for (const end of ['-wal', '-shm']) rmSync(here.path + end, { force: true })
  renameSync(backup, here.path)
  const restored = here.open()
  expect((await rendered(restored, { id: 1 })).passport).toContain('old')
  await expectTrue(restored, REFS)
  await makeAll(restored)
  await expectComplete(restored, [{ id: 1 }])
  await restored.close()
})

test('filling that was broken off goes on, and begins anew where the file is another', async () => {
  await using here = await prepare(people(MANY))
  await here.change('update document_state set places_mark = 0, placed_to = -1')
  expect(await here.store.documents.make(1, V1_PRESS)).toBe(5000)
  await expectComplete(here.store, REFS)
  expect(await here.open().documents.make(1, V1_PRESS)).toBe(MANY - 5000)
  expect(await makeAll(here.store)).toBe(0)
  await here.change('update document_state set places_mark = 0, placed_to = -1')
  expect(await here.store.documents.make(1, V1_PRESS)).toBe(5000)
  writeFileSync(here.placesPath(), 'another')
  expect(await makeAll(here.store)).toBe(MANY)
  await expectComplete(here.store, REFS)
  expect(placesOf(here.placesPath(), 1)).not.toEqual([0, 0])
})

test('ids too large for it are looked for in the tables', async () => {
  const [largest, larger] = [2 ** 25, 2 ** 25 + 1]
  await using here = await prepare([record(largest), record(larger)])
  await expectComplete(here.store, [{ id: largest }, { id: larger }])
  expect(statSync(here.placesPath()).size).toBe((largest + 2) * 32)
  expect(statSync(here.placesPath()).blocks).toBeLessThan(100)
})

test.each([1, 200, 201, 600])('with %i passports in the queue nothing untrue is found', async (count) => {
  await using here = await prepare(people(700, 'old'))
  await saveRecords(here.store, people(count, 'new'))
  const refs = Array.from({ length: 700 }, (_, id) => ({ id }))
  await expectTrue(here.store, refs)
  expect(found(here.store, { id: 650 }).passport).toContain('old')
  while (await here.store.documents.make(100, V1_PRESS)) await expectTrue(here.store, refs)
  await expectComplete(here.store, refs)
})
