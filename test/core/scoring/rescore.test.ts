import { expect, test } from 'bun:test'
import { adoptRules, keepRescoring, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { onEngine, onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, credential, NOON, record } from '../../support/store/records.ts'
import { contracts, fail, find, hand, LATER, scorerOf } from '../../support/store/scoring.ts'

onEveryEngine('the state of a score', (open) => {
  test('a data point makes its passport stale, and the old score is shown until the new one is saved', async () => {
    await using store = await open([{ ...ada, stale: false }])
    expect(await find(store, 7)).toMatchObject({ stale: false, scores: { total: 42.5 } })
    expect(await hand(store, { wallet: ADA_WALLET }, contracts(4))).toEqual([{ outcome: 'added' }])
    expect(await find(store, 7)).toMatchObject({ stale: true, scores: { total: 42.5 }, calculatedAt: NOON })
    expect(await store.scoring.countStale()).toBe(1)

    expect(await rescoreSome(scorerOf(store))).toBe(1)
    expect(await find(store, 7)).toMatchObject({
      stale: false,
      scores: { total: 54.5, skills: 32.25 },
      calculatedAt: LATER,
    })
    expect((await store.passports.findWithCredentials({ id: 7 }))?.credentials).toContainEqual(
      expect.objectContaining({ name: 'Base Developer', score: 12, maxScore: 40, value: '4 contracts' }),
    )
    expect(await rescoreSome(scorerOf(store))).toBe(0)
  })

  test('a new record deletes the data points made from earlier credentials, but not the imported data points', async () => {
    const unscored = { ...contracts(16), account: 'credential:c' }
    await using store = await open([record(1, { credentials: [], credentialPoints: [unscored] })])
    await hand(store, { id: 1 }, { ...contracts(4), account: 'own' })
    const accounts = async () =>
      (await store.scoring.find({ id: 1 }))?.dataPoints.map(({ account }) => account)
    expect(await accounts()).toEqual(['credential:c', 'own'])
    await saveRecords(store, [record(1, { credentials: [credential('c')], connections: 1 })])
    expect(await accounts()).toEqual(['own'])
    expect(await find(store, 1)).toMatchObject({ stale: true })
  })

  test('a passport whose scoring fails does not stop the scoring of other passports', async () => {
    await using store = await open([1, 2, 3].map((id) => record(id, { stale: true })))
    const failures: number[] = []
    const scores = { total: 9, activity: 0, identity: 0, skills: 9 }
    const work = (refused: number) => ({
      rules: 'r',
      now: LATER,
      score: ({ id }: { id: number }) => {
        if (id === refused) throw new Error('poison')
        return { scores, human: false, credentials: [] }
      },
      onFailure: (id: number) => failures.push(id),
    })
    expect(await store.scoring.work(10, work(2))).toBe(3)
    expect(failures).toEqual([2])
    expect(await find(store, 1)).toMatchObject({ stale: false, scores })
    expect(await find(store, 2)).toMatchObject({ stale: true, scores: { total: 0 } })
    expect(await store.scoring.work(10, work(0))).toBe(0)
    await hand(store, { id: 2 }, contracts(1))
    expect(await store.scoring.work(10, work(0))).toBe(1)
    expect(await find(store, 2)).toMatchObject({ stale: false, scores })
  })
})

onEngine('sqlite', 'a busy scorer', (open) => {
  test('a busy scorer stops when its signal is aborted', async () => {
    await using store = await open(Array.from({ length: 1000 }, (_, id) => record(id, { stale: true })))
    await adoptRules(scorerOf(store))
    const stop = new AbortController()
    const scoring = keepRescoring(scorerOf(store), stop.signal, fail.bind(undefined, 0, 'waits'))
    setImmediate(() => stop.abort())
    await scoring
    expect(await store.scoring.countStale()).toBeGreaterThan(0)
  })
})
