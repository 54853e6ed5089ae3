import { expect, test } from 'bun:test'
import { onEveryEngine, saveRecords } from '../support/engines.ts'
import { named } from '../support/records.ts'

onEveryEngine('standing', (open) => {
  test('counts listed passports alone, and follows what is written', async () => {
    await using store = await open([
      named(1, 'A', 90),
      named(2, 'B', 50),
      named(3, 'C', 50),
      named(4, 'D', 10.25),
      { ...named(5, 'E', 70), mergedInto: 1 },
    ])
    expect(await store.passports.standing(50)).toMatchObject({ rank: 2, below: 1, total: 4, highest: 90 })
    await saveRecords(store, [named(6, 'F', 120)])
    expect(await store.passports.standing(50)).toMatchObject({ rank: 3, below: 1, total: 5, highest: 120 })
  })

  test('of an empty store is the first of none', async () => {
    await using store = await open()
    expect(await store.passports.standing(0)).toMatchObject({ rank: 1, below: 0, total: 0 })
  })
})
