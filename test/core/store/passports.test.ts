import { expect, test } from 'bun:test'
import { listAll } from '../../support/index/local-index.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'

onEveryEngine('passports', (open) => {
  test('the id of a merged passport finds its survivor, even after many merges', async () => {
    const chain = Array.from({ length: 40 }, (_, id) => record(id, { mergedInto: id + 1 }))
    const first = record(0, { mergedInto: 1, mainWallet: '0x1', verifiedWallets: ['0x1'] })
    await using store = await open([first, ...chain.slice(1), record(40)])
    for (const ref of [{ id: 0 }, { id: 20 }, { id: 40 }, { wallet: '0x1' }]) {
      expect(await store.passports.find(ref)).toMatchObject({ id: 40, merged: true })
    }
    expect(await listAll(store)).toMatchObject({ items: [{ id: 40 }], total: 1 })
  })

  test('wallet addresses are normalized and scores are rounded on write', async () => {
    const given = record(1, {
      mainWallet: '0xABC',
      verifiedWallets: ['0XABC', 'SoLana'],
      scores: { total: 1.23456, activity: 0.1 + 0.2 },
    })
    await using store = await open([given])
    expect(await store.passports.find({ wallet: '0xabc' })).toMatchObject({
      mainWallet: '0xabc',
      verifiedWallets: ['0xabc', 'SoLana'],
      scores: { total: 1.23, activity: 0.3 },
    })
  })

  test('a record that would create a cycle of merges is refused', async () => {
    await using store = await open([record(1), record(2), record(3)])
    await store.passports.merge(3, 1)
    await store.passports.merge(1, 2)
    expect(await saveRecords(store, [record(1, { mergedInto: 3 }), record(2, { mergedInto: 2 })])).toEqual([
      { outcome: 'refused', field: 'merged_into', reason: 'passport 3 is merged into 1 itself' },
      { outcome: 'refused', field: 'merged_into', reason: 'is the passport itself' },
    ])
    expect(await store.passports.find({ id: 3 })).toMatchObject({ id: 2 })
  })

  test('a record without a calculation time gets the time of its first import', async () => {
    const { calculatedAt: _, ...unknown } = record(1)
    await using store = await open([unknown])
    expect(await store.passports.find({ id: 1 })).toMatchObject({ calculatedAt: NOON })
    await saveRecords(store, [{ ...unknown, connections: 2 }], { now: NOON + 1000 })
    expect(await store.passports.find({ id: 1 })).toMatchObject({ connections: 2, calculatedAt: NOON })
  })
})
