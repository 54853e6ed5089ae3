import { expect, test } from 'bun:test'
import { openLiveIndex, saveLiveIndex, updateIndex } from '../../../src/core/index/live.ts'
import { onEveryEngine, type TestStore } from '../../support/store/engines.ts'
import { defineData, SAVED_INDEX } from '../../support/store/open.ts'
import { NOON, named } from '../../support/store/records.ts'

const TABLE = defineData({
  name: 'table',
  open: ({ read, write }) => ({
    count: async () => (await read.query('select copy from saved_index')).length,
    damage: () => write("update saved_index set chunk = 'AAAA' where position = 1"),
  }),
})

const PEOPLE = [named(1, 'Ada', 3), named(2, 'Bob', 2)]

const openSaved = (store: TestStore) => openLiveIndex(store, store.data(SAVED_INDEX))

onEveryEngine('the table of the saved index', (open) => {
  test('a start loads the last copy, and replaces a damaged one', async () => {
    await using store = await open(PEOPLE)
    // The index was built, so that the first update saves it.
    await updateIndex(await openSaved(store))
    const loaded = await openSaved(store)
    expect([loaded.unsaved, loaded.index.count]).toEqual([0, 2])
    const rows = await store.data(TABLE).count()
    await saveLiveIndex(loaded)
    expect(await store.data(TABLE).count()).toBe(rows)
    await store.data(TABLE).damage()
    const built = await openSaved(store)
    expect([built.unsaved, built.index.count]).toEqual([Number.POSITIVE_INFINITY, 2])
  })

  test('a removal deletes the copy', async () => {
    await using store = await open(PEOPLE)
    await saveLiveIndex(await openSaved(store))
    await store.passports.remove(1, NOON)
    expect(await store.data(TABLE).count()).toBe(0)
  })

  test('a removal while a copy is written ends it, and a copy after that does not have the person', async () => {
    await using store = await open(PEOPLE)
    const live = await openSaved(store)
    await store.data(SAVED_INDEX).write(async () => {
      await store.passports.remove(1, NOON)
      return [new Uint8Array(9)]
    })
    expect(await store.data(TABLE).count()).toBe(0)
    await saveLiveIndex(live)
    const chunks = await Array.fromAsync(store.data(SAVED_INDEX).read())
    const text = Buffer.concat(chunks).toString()
    expect([text.includes('ada'), text.includes('bob')]).toEqual([false, true])
  })
})
