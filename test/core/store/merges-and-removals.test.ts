import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { credential, NOON, record } from '../../support/store/records.ts'
import { contracts, find, hand, LATER } from '../../support/store/scoring.ts'

/** The amounts of the data points of each passport, and for which merged passport they were written. */
const listPoints = async (store: Store) =>
  Object.fromEntries(
    (await store.records.list(-1, 99)).map(({ id, dataPoints = [] }) => [
      id,
      dataPoints.map(({ value, writtenFor }) => [
        value.amount,
        ...(writtenFor === undefined ? [] : [writtenFor]),
      ]),
    ]),
  )

onEveryEngine('merging and removing', (open) => {
  test('a record that names another survivor adds an event to both survivors', async () => {
    await using store = await open([record(7, { mergedInto: 8 }), record(8), record(9)])
    const { last } = await store.events.log()
    await saveRecords(store, [record(7, { mergedInto: 9 })])
    const { events } = await store.events.list({ after: last, limit: 9 })
    for (const passportId of [8, 9])
      expect(events).toContainEqual(expect.objectContaining({ passportId, fields: ['merged_from'] }))
  })

  test.each([
    [
      'the wallet of a passport that was merged into it',
      3,
      [
        record(3, { mainWallet: '0xw', verifiedWallets: ['0xw'] }),
        record(9, { mainWallet: '0xw', mergedInto: 3 }),
      ],
    ],
    [
      'the wallet of a chain of merges',
      7,
      [
        record(0, { mainWallet: '0xw', mergedInto: 3 }),
        record(3, { mainWallet: '0xw', mergedInto: 7 }),
        record(7),
      ],
    ],
  ])('a survivor has %s, whatever the order of the records', async (_, id, records) => {
    for (const order of [records, records.toReversed()]) {
      await using store = await open()
      const results = await saveRecords(store, order)
      expect(results).toEqual(records.map(() => ({ outcome: 'added' })))
      expect(await store.passports.find({ wallet: '0xw' })).toMatchObject({ id })
    }
  })

  test('a survivor keeps a wallet that it took over from a merged passport until that passport is unmerged', async () => {
    const former = record(12, { mainWallet: '0x12', verifiedWallets: ['0x12'] })
    const survivor = record(7, { mainWallet: '0x7', verifiedWallets: ['0x7', '0x12'] })
    for (const isUndone of [false, true]) {
      await using store = await open([record(7), former])
      await store.passports.merge(12, 7)
      await saveRecords(store, [survivor])
      if (isUndone) await store.passports.unmerge(12)
      else await store.passports.remove(12, LATER)
      expect(await store.passports.find({ wallet: '0x12' })).toMatchObject({ id: isUndone ? 12 : 7 })
      const verifiedWallets = isUndone ? ['0x7'] : ['0x7', '0x12']
      expect(await find(store, 7)).toMatchObject({ mainWallet: '0x7', verifiedWallets })
    }
  })

  test.each([
    ['its next verified wallet as its main wallet', ['0x12', '0x7', '0x8'], '0x7', ['0x7', '0x8']],
    ['no main wallet if it has no other wallet', ['0x12'], '', []],
  ])(
    'a survivor that returns its main wallet in an unmerge has %s',
    async (_, verifiedWallets, mainWallet, left) => {
      await using store = await open([record(7), record(12, { mainWallet: '0x12' })])
      await store.passports.merge(12, 7)
      await saveRecords(store, [record(7, { mainWallet: '0x12', verifiedWallets })])
      await store.passports.unmerge(12)
      expect(await find(store, 7)).toMatchObject({ mainWallet, verifiedWallets: left })
      expect(await find(store, 12)).toMatchObject({ mainWallet: '0x12' })
      expect(await store.passports.find({ wallet: '0x12' })).toMatchObject({ id: 12 })
    },
  )

  test('a record that merges a passport into another one gives back its data points first', async () => {
    await using store = await open([record(7), record(8), record(12, { mergedInto: 7 })])
    await hand(store, { id: 12 }, contracts(2))
    await saveRecords(store, [record(12, { mergedInto: 8 })])
    expect(await listPoints(store)).toEqual({ 7: [], 8: [], 12: [[2]] })
  })

  test('of two records of a merged or hidden passport in one batch, the credentials of the second one are stored', async () => {
    await using store = await open([record(7), record(8, { mergedInto: 7 }), record(9)])
    await store.passports.hide(9, true, NOON)
    const scored = { credentials: [credential('a')], scores: { total: 1, identity: 1 } }
    const unscored = { credentials: [credential('b')] }
    await saveRecords(
      store,
      [8, 9].flatMap((id) => [record(id, scored), record(id, unscored)]),
    )
    await store.passports.unmerge(8)
    await store.passports.hide(9, false, NOON)
    const stored = await store.records.list(7, 9)
    expect(stored.map(({ credentials = [] }) => credentials.map(({ id }) => id))).toEqual([['b'], ['b']])
  })
})
