import { expect, test } from 'bun:test'
import { listAll } from '../../support/index/local-index.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import {
  ADA_SECOND_WALLET,
  ADA_WALLET,
  ada,
  NOON,
  PEOPLE,
  record,
  SOLANA_WALLET,
} from '../../support/store/records.ts'

onEveryEngine('passports', (open) => {
  test('a passport is found as it was written, by its id and by each of its wallets', async () => {
    await using store = await open(PEOPLE)
    const { credentials: _, ...passport } = ada
    const wallets = [ADA_WALLET, ADA_SECOND_WALLET, SOLANA_WALLET]
    for (const ref of [{ id: 7 }, ...wallets.map((wallet) => ({ wallet }))]) {
      const found: unknown = await store.passports.find(ref)
      expect(found).toEqual({ ...passport, merged: false, mergedFrom: [], rules: '' })
    }
    for (const ref of [{ wallet: SOLANA_WALLET.toLowerCase() }, { wallet: '' }, { id: 8 }]) {
      expect(await store.passports.find(ref)).toBeUndefined()
    }
  })

  test('the id of a merged passport finds its survivor, even after many merges', async () => {
    const chain = Array.from({ length: 40 }, (_, id) => record(id, { mergedInto: id + 1 }))
    const first = record(0, { mergedInto: 1, mainWallet: '0x1', verifiedWallets: ['0x1'] })
    await using store = await open([first, ...chain.slice(1), record(40)])
    for (const ref of [{ id: 0 }, { id: 20 }, { id: 40 }, { wallet: '0x1' }]) {
      expect(await store.passports.find(ref)).toMatchObject({ id: 40, merged: true })
    }
    expect(await listAll(store)).toMatchObject({ items: [{ id: 40 }], total: 1 })
  })

  test('a later record of a passport replaces its wallets and credentials', async () => {
    await using store = await open([ada])
    const changed = { ...ada, stale: false, mainWallet: '0xnew', verifiedWallets: [], credentials: [] }
    await saveRecords(store, [changed])
    expect(await store.passports.find({ wallet: ADA_WALLET })).toBeUndefined()
    expect(await store.passports.find({ wallet: '0xnew' })).toMatchObject({ id: 7 })
    expect((await store.passports.findWithCredentials({ id: 7 }))?.credentials).toEqual([])
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

  test('credentials are ordered by score, then name, then id', async () => {
    await using store = await open(PEOPLE)
    const ids = (await store.passports.findWithCredentials({ id: 7 }))?.credentials.map(({ id }) => id)
    expect(ids?.join()).toBe('c-2,c-1,c-3,c-4,c-6,c-5')
    expect((await store.passports.findWithCredentials({ id: 12 }))?.credentials).toEqual([])
  })
})
