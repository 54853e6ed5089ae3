import { expect, test } from 'bun:test'
import { findSimilarName } from '../../../src/core/index/find-names.ts'
import { createCatalog } from '../../support/store/catalog.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'

const LIST = { filter: [], sort: { field: 'score', descending: true } } as const

test('a misspelt name of six words is corrected, and for more words no name is read', async () => {
  const words = ['Adalind', 'Berthold', 'Corinthia', 'Demetrius', 'Eleanora', 'Ferdinand', 'Gwendolyn']
  await using store = await openTestStore('sqlite', [named(1, words.join(' '))])
  const catalog = createCatalog(store)
  let read = 0
  const listByIds: typeof store.passports.listByIds = (ids) => {
    read += ids.length
    return store.passports.listByIds(ids)
  }
  const reader = { catalog, store: { ...store, passports: { ...store.passports, listByIds } } }
  const find = async (count: number) => {
    read = 0
    const typed = words.slice(0, count).map((word) => `${word.slice(0, -1)}q`)
    const name = await findSimilarName(reader, typed, LIST, new AbortController().signal)
    return [name, read]
  }
  expect(await find(6)).toEqual([words.slice(0, 6).join(' '), 1])
  expect(await find(7)).toEqual([undefined, 0])
})
