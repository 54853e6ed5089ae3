import { expect, test } from 'bun:test'
import type { DataPoint } from '../../src/domain/data-point.ts'
import type { PassportRef } from '../../src/domain/passport.ts'
import { toAppliedRules } from '../../src/scoring/active-rules.ts'
import { adoptRules, keepRescoring, rescoreSome } from '../../src/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import { parseRules } from '../../src/scoring/rules-format.ts'
import { ADOPTION_BATCH } from '../../src/store/rule-adoption.ts'
import type { Store } from '../../src/store/store.ts'
import { listAll } from '../support/store/catalog.ts'
import { onEngine, onEveryEngine, saveRecords } from '../support/store/engines.ts'
import { ADA_WALLET, ada, credential, NOON, record } from '../support/store/records.ts'

const LATER = NOON + 1000
const OPTIONS = { now: NOON, restore: false }
const otherRules = parseRules({
  version: 'other',
  types: { ens: { ...DEFAULT_RULES.types.ens, max_score: 1 } },
})

const scorer = (store: Store, rules = DEFAULT_RULES) => ({ store, rules, now: () => LATER, onFailure: fail })
const fail = (id: number, error: unknown) => {
  throw new Error(`passport ${id}`, { cause: error })
}
const contracts = (amount: number): DataPoint => ({
  type: 'base_builder',
  account: '',
  value: { kind: 'number', amount },
  display: `${amount} contracts`,
})
const hand = (store: Store, passport: PassportRef, point: DataPoint) =>
  store.records.save([{ kind: 'data-point', passport, point }], OPTIONS)
const find = async (store: Store, id: number) => await store.passports.find({ id })

onEveryEngine('the state of a score', (open) => {
  test('a data point makes its passport stale, and the old score is shown until the new one is saved', async () => {
    await using store = await open([{ ...ada, stale: false }])
    expect(await find(store, 7)).toMatchObject({ stale: false, scores: { total: 42.5 } })
    expect(await hand(store, { wallet: ADA_WALLET }, contracts(4))).toEqual([{ outcome: 'added' }])
    expect(await find(store, 7)).toMatchObject({ stale: true, scores: { total: 42.5 }, calculatedAt: NOON })
    expect(await store.scoring.countStale()).toBe(1)

    expect(await rescoreSome(scorer(store))).toBe(1)
    expect(await find(store, 7)).toMatchObject({
      stale: false,
      scores: { total: 54.5, skills: 32.25 },
      calculatedAt: LATER,
    })
    expect((await store.credentials.find({ id: 7 }))?.credentials).toContainEqual(
      expect.objectContaining({ name: 'Base Developer', score: 12, maxScore: 40, value: '4 contracts' }),
    )
    expect(await rescoreSome(scorer(store))).toBe(0)
  })

  test('a repeated data point changes nothing, and another value changes the score and the ranking', async () => {
    await using store = await open([record(1, { scores: { total: 15 } }), record(7)])
    const first = async () => (await listAll(store, { page: 1, size: 1, keyword: undefined })).items[0]?.id
    expect(await hand(store, { id: 7 }, contracts(4))).toEqual([{ outcome: 'added' }])
    await rescoreSome(scorer(store))
    expect(await first()).toBe(1)
    expect(await hand(store, { id: 7 }, contracts(4))).toEqual([{ outcome: 'unchanged' }])
    expect(await find(store, 7)).toMatchObject({ stale: false })
    expect(await hand(store, { id: 7 }, contracts(9))).toEqual([{ outcome: 'changed' }])
    await rescoreSome(scorer(store))
    expect((await store.credentials.find({ id: 7 }))?.credentials).toMatchObject([
      { type: 'base_builder', score: 18 },
    ])
    expect(await first()).toBe(7)
    expect(await hand(store, { id: 5 }, contracts(1))).toEqual([
      { outcome: 'refused', field: 'passport', reason: 'there is no passport 5 here' },
    ])
  })

  test('a record keeps scores that are the sums of its credentials; other scores are calculated again', async () => {
    const skills = [credential('a', { category: 'Skills', score: 5, maxScore: 9 })]
    await using store = await open([
      record(1, { credentials: skills, scores: { total: 5, skills: 5 } }),
      record(2, { credentials: skills, scores: { total: 50, skills: 50 } }),
    ])
    expect(await find(store, 1)).toMatchObject({ stale: false, calculatedAt: NOON })
    expect(await find(store, 2)).toMatchObject({ stale: true, scores: { total: 50 } })
    await rescoreSome(scorer(store))
    expect(await find(store, 2)).toMatchObject({ stale: false, scores: { total: 5, skills: 5 } })
  })

  test('data points made from credentials are replaced with them, and imported ones stay', async () => {
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

  test('a scored proof sets the human checkmark until the proof is gone', async () => {
    await using store = await open([record(1)])
    for (const amount of [1, 0]) {
      await hand(store, { id: 1 }, { ...contracts(0), type: 'worldcoin', value: { kind: 'flag', amount } })
      await rescoreSome(scorer(store))
      expect(await find(store, 1)).toMatchObject({ human: amount === 1 })
    }
  })

  test('a passport whose scoring fails does not block the others', async () => {
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

onEveryEngine('the adoption of a rule set', (open) => {
  test('makes no passport stale for the first rule set, and all passports for the next', async () => {
    await using store = await open([record(1), record(2)])
    await adoptRules(scorer(store))
    expect(await store.scoring.countStale()).toBe(0)
    await adoptRules(scorer(store, otherRules))
    expect(await store.scoring.countStale()).toBe(2)
    expect(await rescoreSome(scorer(store))).toBeUndefined()
    expect(await rescoreSome(scorer(store, otherRules))).toBe(2)
    await adoptRules(scorer(store, otherRules))
    expect(await store.scoring.countStale()).toBe(0)
    const rules = (await store.records.list(0, 10)).map(({ rules }) => rules)
    expect(rules).toEqual([otherRules.stamp, otherRules.stamp])
    await store.scoring.markAll()
    expect(await store.scoring.countStale()).toBe(2)
  })

  test('makes passports of another rule set stale, saved before or after the adoption', async () => {
    const records = [record(1, { rules: 'elsewhere' }), record(2, { rules: DEFAULT_RULES.stamp }), record(3)]
    await using before = await open(records)
    await adoptRules(scorer(before))
    await using after = await open()
    await adoptRules(scorer(after))
    await saveRecords(after, records)
    for (const store of [before, after]) {
      const stale = await Promise.all([1, 2, 3].map(async (id) => (await find(store, id))?.stale))
      expect(stale).toEqual([true, false, false])
    }
  })

  test('changes nothing while another rule set is active', async () => {
    await using store = await open([record(1), record(2)])
    await adoptRules(scorer(store))
    await store.rules.apply(toAppliedRules(DEFAULT_RULES, 'apply', NOON))
    await adoptRules(scorer(store, otherRules))
    expect(await store.scoring.countStale()).toBe(0)
    expect(await rescoreSome(scorer(store, otherRules))).toBeUndefined()
  })

  test('marks many passports in batches, and continues after an interruption', async () => {
    await using store = await open(Array.from({ length: ADOPTION_BATCH + 1 }, (_, id) => record(id)))
    while (!(await store.scoring.adopt('one')));
    expect(await store.scoring.adopt('two')).toBe(false)
    expect(await store.scoring.countStale()).toBe(ADOPTION_BATCH)
    // Passports that the interrupted rule set has scored are marked again.
    const scored = {
      scores: { total: 0, activity: 0, identity: 0, skills: 0 },
      human: false,
      credentials: [],
    }
    const job = { rules: 'two', now: LATER, score: () => scored, onFailure: fail }
    expect(await store.scoring.work(10, job)).toBe(10)
    expect(await store.scoring.adopt('three')).toBe(false)
    for (let steps = 0; !(await store.scoring.adopt('three')); steps++) expect(steps).toBeLessThan(20)
    expect(await store.scoring.countStale()).toBe(ADOPTION_BATCH + 1)
  })

  test('strict saving stops at the first refusal', async () => {
    await using store = await open([ada])
    const records = [record(1), record(2, { mainWallet: ADA_WALLET }), record(3)]
    const incoming = records.map((passport) => ({ kind: 'passport' as const, passport }))
    const results = await store.records.save(incoming, { ...OPTIONS, strict: true })
    expect(results.map(({ outcome }) => outcome)).toEqual(['added', 'refused'])
    expect(await find(store, 3)).toBeUndefined()
  })

  test('makes a passport stale that is saved during the adoption', async () => {
    await using store = await open([record(1), record(2)])
    while (!(await store.scoring.adopt('old')));
    expect(await store.scoring.adopt('young')).toBe(false)
    const arriving = [
      record(1, { connections: 5, rules: 'old' }),
      record(2, { connections: 5, rules: 'young' }),
    ]
    await saveRecords(store, arriving)
    while (!(await store.scoring.adopt('young')));
    expect(await find(store, 1)).toMatchObject({ connections: 5, stale: true })
    expect(await find(store, 2)).toMatchObject({ connections: 5, stale: false })
  })
})

onEngine('sqlite', 'a busy scorer', (open) => {
  test('stops when its signal is aborted', async () => {
    await using store = await open(Array.from({ length: 1000 }, (_, id) => record(id, { stale: true })))
    await adoptRules(scorer(store))
    const stop = new AbortController()
    const scoring = keepRescoring(scorer(store), stop.signal, fail.bind(undefined, 0, 'waits'))
    setImmediate(() => stop.abort())
    await scoring
    expect(await store.scoring.countStale()).toBeGreaterThan(0)
  })
})
