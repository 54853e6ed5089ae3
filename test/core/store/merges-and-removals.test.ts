import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { exportAll } from '../../support/cli-sandbox.ts'
import { listAll } from '../../support/index/local-index.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { importText } from '../../support/store/random-histories.ts'
import { ADA_WALLET, ada, credential, dataPoint, NOON, record } from '../../support/store/records.ts'
import { contracts, find, hand, LATER, scoreNow } from '../../support/store/scoring.ts'

const ens = dataPoint('ens', 3)
const worldcoin = dataPoint('worldcoin', 1)

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

  test('a merged passport redirects to its survivor until it is unmerged', async () => {
    await using store = await open([ada, record(8, { profile: { displayName: 'Survivor' } })])
    await store.passports.merge(7, 8)
    expect(await store.passports.find({ wallet: ADA_WALLET })).toMatchObject({ id: 8, merged: true })
    expect(await listAll(store, { keyword: 'ada' })).toMatchObject({ total: 0 })
    expect(await listAll(store)).toMatchObject({ total: 1 })
    // A later record of the merged passport does not undo the merge.
    await saveRecords(store, [{ ...ada, connections: 99 }])
    expect(await find(store, 7)).toMatchObject({ id: 8 })
    await store.passports.unmerge(7)
    expect(await store.passports.find({ wallet: ADA_WALLET })).toMatchObject({ id: 7, merged: false })
    expect(await listAll(store, { keyword: 'ada' })).toMatchObject({ total: 1 })
    expect(await find(store, 8)).toMatchObject({ merged: false })
  })

  test('a merge is refused if one passport is unknown or merged already, or if both are the same', async () => {
    await using store = await open([record(1), record(2), record(3)])
    await store.passports.merge(1, 2)
    expect(() => store.passports.merge(1, 3)).toThrow('Passport 1 is merged into 2 already.')
    expect(() => store.passports.merge(3, 1)).toThrow('Passport 1 is merged into 2 already.')
    expect(() => store.passports.merge(3, 9)).toThrow('Resource not found.')
    expect(() => store.passports.merge(3, 3)).toThrow('A passport cannot be merged into itself.')
    expect(() => store.passports.unmerge(3)).toThrow('Passport 3 is not merged into another.')
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

  test('an unmerge gives back the data points that were written for the merged id or its wallet', async () => {
    await using store = await open([record(7), record(8), record(12, { mainWallet: '0x12' })])
    await hand(store, { id: 12 }, contracts(1))
    await hand(store, { id: 8 }, ens)
    await store.passports.merge(12, 7)
    await store.passports.merge(7, 8)
    for (const [ref, point] of [
      [{ wallet: '0x12' }, contracts(2)],
      [{ id: 12 }, contracts(9)],
      [{ id: 12 }, ens],
      [{ id: 7 }, worldcoin],
    ] as const)
      expect(await hand(store, ref, point)).toMatchObject([{ survivorId: 8 }])
    await scoreNow(store)
    expect(await listPoints(store)).toEqual({ 7: [], 8: [[9, 12], [3], [1, 7]], 12: [[1]] })
    await using copy = await open()
    expect(await importText(copy, await exportAll(store))).toEqual([])
    expect(await listPoints(copy)).toEqual(await listPoints(store))
    const { last } = await store.events.log()
    await store.passports.unmerge(7)
    expect(await listPoints(store)).toEqual({ 7: [[9, 12], [1]], 8: [[3]], 12: [[1]] })
    await store.passports.unmerge(12)
    expect(await listPoints(store)).toEqual({ 7: [[1]], 8: [[3]], 12: [[9]] })
    await scoreNow(store)
    const { events } = await store.events.list({ after: last, limit: 99 })
    const scored = events.flatMap((event) =>
      event.type === 'score.changed'
        ? [[event.passportId, event.change.credentials.map(({ type, cause }) => [type, cause])]]
        : [],
    )
    expect(scored).toEqual([
      [7, [['worldcoin', 'added']]],
      [
        8,
        [
          ['base_builder', 'gone'],
          ['worldcoin', 'gone'],
        ],
      ],
      [12, [['base_builder', 'value']]],
    ])
  })

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

  test('removing a passport removes it and the passports merged into it from every response', async () => {
    await using store = await open([ada, record(8, { mergedInto: 7 }), record(9)])
    await store.passports.remove(7, LATER)
    for (const ref of [{ id: 7 }, { id: 8 }, { wallet: ADA_WALLET }]) {
      expect(await store.passports.find(ref)).toBeUndefined()
      expect(await store.passports.findWithCredentials(ref)).toBeUndefined()
      expect(await store.scoring.find(ref)).toBeUndefined()
    }
    expect(await listAll(store)).toMatchObject({ total: 1 })
    expect(await listAll(store, { keyword: 'ada' })).toMatchObject({ total: 0 })
    expect(await store.records.listRemovals()).toEqual([7, 8])
    const { last } = await store.events.log()
    const removals = await store.records.listRemovals()
    await store.passports.remove(7, LATER + 1)
    expect([(await store.events.log()).last, await store.records.listRemovals()]).toEqual([last, removals])
  })

  test('a removed passport is imported again only with the restore option', async () => {
    await using store = await open([ada])
    await store.passports.remove(7, LATER)
    expect(await saveRecords(store, [ada])).toEqual([{ outcome: 'removed' }])
    expect(await hand(store, { id: 7 }, contracts(1))).toEqual([{ outcome: 'removed' }])
    expect(await find(store, 7)).toBeUndefined()
    expect(await saveRecords(store, [ada], { restore: true })).toEqual([{ outcome: 'added' }])
    expect(await find(store, 7)).toMatchObject({ id: 7 })
    expect(await saveRecords(store, [{ ...ada, connections: 3 }])).toEqual([{ outcome: 'changed' }])
  })
})
