import { expect, test } from 'bun:test'
import { openLiveIndex, updateIndex } from '../../../src/core/index/live.ts'
import { saveLiveIndex } from '../../support/index/local-index.ts'
import { onEveryEngine, type TestStore } from '../../support/store/engines.ts'
import { defineData, SAVED_INDEX } from '../../support/store/open.ts'
import { NOON, named } from '../../support/store/records.ts'

/** Changes one character of a chunk. */
const DAMAGE = `update saved_index set chunk = substr(chunk, 1, 200)
  || case substr(chunk, 201, 1) when 'A' then 'B' else 'A' end || substr(chunk, 202) where position = 1`

const TABLE = defineData({
  name: 'table',
  open: ({ read, write }) => ({
    count: async () => (await read.query('select copy from saved_index')).length,
    damage: () => write(DAMAGE),
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
    expect([loaded.hasCopy, loaded.index.count]).toEqual([true, 2])
    const rows = await store.data(TABLE).count()
    await saveLiveIndex(loaded)
    expect(await store.data(TABLE).count()).toBe(rows)
    await store.data(TABLE).damage()
    const built = await openSaved(store)
    expect([built.hasCopy, built.index.count]).toEqual([false, 2])
  })

  test('a removal deletes the copy', async () => {
    await using store = await open(PEOPLE)
    await saveLiveIndex(await openSaved(store))
    await store.passports.remove(1, NOON)
    expect(await store.data(TABLE).count()).toBe(0)
  })

  test('after a removal the index is saved again when it ends, and earlier if the last copy is old', async () => {
    await using store = await open([...PEOPLE, named(3, 'Cleo', 1), named(4, 'Dan', 0)])
    const live = await openSaved(store)
    const isSavedAfter = async (removed: number, update: () => Promise<void>) => {
      await store.passports.remove(removed, NOON)
      await update()
      return (await store.data(TABLE).count()) > 0
    }
    expect(await isSavedAfter(1, () => updateIndex(live))).toBe(true)
    expect(await isSavedAfter(2, () => updateIndex(live))).toBe(false)
    expect(await isSavedAfter(3, () => updateIndex(live, true))).toBe(true)
    live.savedAt -= 600_000
    expect(await isSavedAfter(4, () => updateIndex(live))).toBe(true)
    expect((await openSaved(store)).hasCopy).toBe(true)
  })

  test('a removal while a copy is written ends it, and a copy after that does not have the person', async () => {
    await using store = await open(PEOPLE)
    const live = await openSaved(store)
    const isComplete = await store.data(SAVED_INDEX).write(async () => {
      await store.passports.remove(1, NOON)
      return [new Uint8Array(9)]
    })
    expect(isComplete).toBe(false)
    expect(await store.data(TABLE).count()).toBe(0)
    await saveLiveIndex(live)
    const chunks = await Array.fromAsync(store.data(SAVED_INDEX).read())
    const text = Buffer.concat(chunks).toString()
    expect([text.includes('ada'), text.includes('bob')]).toEqual([false, true])
  })
})
