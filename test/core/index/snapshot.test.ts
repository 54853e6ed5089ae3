import { expect, test } from 'bun:test'
import { buildSnapshot, type Snapshot, updateSnapshot } from '../../../src/core/index/snapshot.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { foldName } from '../../support/program/text.ts'
import { catalogOf, listAll, snapshotOf } from '../../support/store/catalog.ts'
import { onBothEngines, saveRecords } from '../../support/store/engines.ts'
import { checkHistories } from '../../support/store/random-histories.ts'
import { named } from '../../support/store/records.ts'

const contentsOf = ({ cursor: _, ...contents }: Snapshot) => contents

/** Builds the expected snapshot from the stored records. */
async function expectedOf(store: Store): Promise<Snapshot> {
  const records = await store.records.list(-1, 1000)
  const listed = records.filter(({ mergedInto }) => mergedInto === undefined)
  return snapshotOf(
    listed.map(({ id, scores, profile }) => ({
      id,
      score: scores?.total ?? 0,
      name: foldName(profile.displayName),
    })),
  )
}

onBothEngines('a snapshot', (open, engine) => {
  test('an updated snapshot equals a new one, after a random history', () =>
    checkHistories(open, engine, async (store) => {
      let snapshot = await buildSnapshot(store.listing)
      return async () => {
        snapshot = await updateSnapshot(snapshot, store.listing)
        const expected = contentsOf(await expectedOf(store))
        expect(contentsOf(snapshot)).toEqual(expected)
        expect(contentsOf(await buildSnapshot(store.listing))).toEqual(expected)
      }
    }))

  test('a snapshot reflects a new score, and stays the same object while no list page changes', async () => {
    await using store = await open([named(1, 'One', 10), named(2, 'Two', 20), named(3, 'Three', 30)])
    const { current } = catalogOf(store)
    const before = await current()
    expect(await current()).toBe(before)
    await saveRecords(store, [named(1, 'One', 20)])
    const after = await current()
    expect([...after.ids]).toEqual([3, 1, 2])
    expect([...after.scores]).toEqual([30, 20, 20])
    expect([...before.ids]).toEqual([3, 2, 1])
    await saveRecords(store, [{ ...named(1, 'One', 20), connections: 5 }])
    expect(await current()).not.toBe(after)
  })

  test('a snapshot supports ids above 2^32', async () => {
    const ids = [2 ** 32 + 1, 2 ** 52, Number.MAX_SAFE_INTEGER]
    await using store = await open(ids.map((id) => named(id, 'Large', 1)))
    expect([...(await buildSnapshot(store.listing)).ids]).toEqual(ids)
    await saveRecords(store, [named(2 ** 52, 'Large', 2)])
    const { items, total } = await listAll(store, { page: 1, size: 2, keyword: 'large' })
    expect([items.map(({ id }) => id), total]).toEqual([[2 ** 52, 2 ** 32 + 1], 3])
  })
})
