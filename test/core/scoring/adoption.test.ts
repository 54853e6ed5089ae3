import { expect, test } from 'bun:test'
import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { parseRules } from '../../../src/core/scoring/rules-format.ts'
import {
  DEFAULT_RULES,
  type Rule,
  type RuleSet,
  stampRules,
  toAppliedRules,
} from '../../../src/core/scoring/stamped-rule-set.ts'
import { ADOPTION_BATCH } from '../../../src/core/store/sql/rules.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { exportAll } from '../../support/cli-sandbox.ts'
import { readFrozen } from '../../support/frozen/frozen-versions.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import { importParts, importText } from '../../support/store/random-histories.ts'
import { dataPoint, NOON, record } from '../../support/store/records.ts'
import { contracts, fail, find, hand, LATER, scorerOf } from '../../support/store/scoring.ts'

const otherRules = parseRules({
  version: 'other',
  types: { ens: { ...DEFAULT_RULES.types.ens, max_score: 1 } },
})

const YEAR = 365.25 * 86_400_000
const joined = (time: number): DataPoint => ({
  ...dataPoint('ens', time, '', ''),
  value: { kind: 'date', amount: time },
})
/** The job to adopt a rule set that gives every passport the same score. */
const jobOf = (rules: string, total: number) => ({
  rules,
  now: LATER,
  score: () => ({ scores: { total, activity: 0, identity: 0, skills: 0 }, human: false, credentials: [] }),
})

/** Whether each listed passport is stale, in the order of their ids. */
const stale = async (store: Store) =>
  await Promise.all(
    (await store.records.list(0, 9))
      .filter(({ mergedInto }) => mergedInto === undefined)
      .map(async ({ id }) => (await find(store, id))?.stale),
  )

/** All responses of passports 1 to 4. */
const responses = (store: Store) =>
  Promise.all(
    [1, 2, 3, 4].map(async (id) => ({
      frozen: await readFrozen(store, { id }),
      v3: await store.passports.findByKeys([{ id }], { credentials: true }),
    })),
  )

const typesAfter = async (store: Store, sequence: number) =>
  (await store.events.list({ after: sequence, limit: 100 })).events.map(({ type }) => type)

onEveryEngine('the adoption of a rule set', (open) => {
  test('a credential without a score is scored by a rule that comes later, and its export has no score', async () => {
    await using store = await open()
    const line = { passport_id: 1, credentials: [{ id: 'c', type: 'later', value: '3 contracts' }] }
    await importParts(store, [JSON.stringify(line)], { rawKindOf: () => undefined })
    await adoptRules(scorerOf(store))
    await rescoreSome(scorerOf(store))
    expect(await find(store, 1)).toMatchObject({ stale: false, scores: { total: 0 } })
    const [before] = (await exportAll(store)).trim().split('\n')
    expect(JSON.parse(before ?? '').credentials).toMatchObject([{ type: 'later', score: null }])

    const later = parseRules({ version: 'later', types: { later: DEFAULT_RULES.types.base_builder } })
    await store.data(RULE_SETS).apply(toAppliedRules(later, 'apply', LATER))
    await adoptRules(scorerOf(store, later))
    await rescoreSome(scorerOf(store, later))
    expect((await store.passports.findWithCredentials({ id: 1 }))?.credentials).toMatchObject([
      { type: 'later', name: 'Base Developer', value: '3 contracts', score: 10 },
    ])
    await using copy = await open()
    expect(await importText(copy, await exportAll(store))).toEqual([])
    expect(await exportAll(copy)).toBe(await exportAll(store))
  })

  test('adopting a rule set marks passports as stale if their scores change, unless it is the first rule set', async () => {
    await using store = await open([1, 2, 3].map((id) => record(id, { scores: { total: 4, skills: 4 } })))
    await hand(store, { id: 1 }, contracts(4))
    await hand(store, { id: 2 }, joined(NOON - 3 * YEAR))
    await rescoreSome(scorerOf(store))
    await adoptRules(scorerOf(store))
    expect(await store.scoring.countStale()).toBe(0)
    await adoptRules(scorerOf(store, otherRules))
    expect(await stale(store)).toEqual([true, true, false])
    expect(await rescoreSome(scorerOf(store))).toBeUndefined()
    expect(await rescoreSome(scorerOf(store, otherRules))).toBe(2)
    await adoptRules(scorerOf(store, otherRules))
    expect(await store.scoring.countStale()).toBe(0)
    const rules = (await store.records.list(0, 10)).map(({ rules }) => rules)
    expect(rules).toEqual([otherRules.stamp, otherRules.stamp, undefined])
    await store.scoring.markAll()
    expect(await store.scoring.countStale()).toBe(3)
  })

  test('adopting rules changes no response or event of passports whose points stay the same', async () => {
    const records = [1, 2, 3, 4].map((id) => record(id, { mainWallet: `0x${id}` }))
    await using store = await open([...records, record(5, { mergedInto: 1 })])
    await adoptRules(scorerOf(store))
    for (const id of [1, 2]) await hand(store, { id }, contracts(4))
    // The points of passport 3 grow with time. The adoption compares them as of the time of the stored score.
    await hand(store, { id: 3 }, joined(NOON - 3 * YEAR))
    await rescoreSome(scorerOf(store))
    await hand(store, { id: 4 }, { ...contracts(4), type: 'unheard_of' })
    await rescoreSome(scorerOf(store))
    const before = await responses(store)
    const { last } = await store.events.log()

    const { stamp: _, ...shape } = DEFAULT_RULES
    const sameScores = stampRules({ ...shape, version: 'same', levels: [{ name: 'All', from: 0 }] })
    const later = (rules: RuleSet) => ({ ...scorerOf(store, rules), now: () => NOON + 2 * YEAR })
    await adoptRules(later(sameScores))
    expect(await responses(store)).toEqual(before)
    expect(await rescoreSome(later(sameScores))).toBe(0)
    expect(await responses(store)).toEqual(before)
    expect(await typesAfter(store, last)).toEqual(['rules.changed'])

    const lower = { ...(shape.types.base_builder as Rule), max_score: 5 }
    const other = stampRules({ ...shape, types: { ...shape.types, base_builder: lower } })
    await adoptRules(later(other))
    expect(await stale(store)).toEqual([true, true, false, false])
    expect(await rescoreSome(later(other))).toBe(2)
    const after = await responses(store)
    expect(after.slice(2)).toEqual(before.slice(2))
    for (const at of [0, 1]) {
      expect(after[at]).not.toEqual(before[at])
      expect(after[at]?.v3).toMatchObject([{ passport: { scores: { total: 5 }, stale: false } }])
    }
    expect(await typesAfter(store, last)).toEqual([
      'rules.changed',
      'rules.changed',
      'score.changed',
      'score.changed',
    ])
    expect((await store.records.list(0, 4)).map(({ rules }) => rules)).toEqual(
      [other, other, DEFAULT_RULES, DEFAULT_RULES].map(({ stamp }) => stamp),
    )
  })

  test('adopting a rule set marks a passport as stale again if its last scoring failed', async () => {
    await using store = await open([record(1, { stale: true })])
    await adoptRules(scorerOf(store))
    const work = { ...jobOf('other', 1), rules: DEFAULT_RULES.stamp, onFailure: () => undefined }
    const score = () => {
      throw new Error('on purpose')
    }
    await store.scoring.work(1, { ...work, score })
    expect(await store.scoring.countStale()).toBe(0)
    await adoptRules(scorerOf(store, otherRules))
    expect(await store.scoring.countStale()).toBe(1)
    expect(await rescoreSome(scorerOf(store, otherRules))).toBe(1)
  })

  test('a record with a different score by another rule set is stale, whether it is saved before or after the adoption', async () => {
    const scores = { total: 9, skills: 9 }
    const records = [
      record(1, { rules: 'elsewhere', scores, dataPoints: [contracts(4)] }),
      record(2, { rules: DEFAULT_RULES.stamp, scores }),
      record(3, { scores }),
    ]
    await using before = await open(records)
    await adoptRules(scorerOf(before))
    await using after = await open()
    await adoptRules(scorerOf(after))
    await saveRecords(after, records)
    for (const store of [before, after]) expect(await stale(store)).toEqual([true, false, false])
  })

  test('the adoption of a rule set changes nothing while another rule set is active', async () => {
    await using store = await open([record(1)])
    await adoptRules(scorerOf(store))
    await hand(store, { id: 1 }, contracts(4))
    await rescoreSome(scorerOf(store))
    await store.data(RULE_SETS).apply(toAppliedRules(DEFAULT_RULES, 'apply', NOON))
    await adoptRules(scorerOf(store, otherRules))
    expect(await store.scoring.countStale()).toBe(0)
    expect(await rescoreSome(scorerOf(store, otherRules))).toBeUndefined()
  })

  test('a rule set is adopted in batches, even after another adoption that did not finish', async () => {
    await using store = await open(Array.from({ length: ADOPTION_BATCH + 1 }, (_, id) => record(id)))
    const adopt = (rules: string, total: number) => store.scoring.adopt(jobOf(rules, total))
    while (!(await adopt('one', 1)));
    expect(await adopt('two', 2)).toBe(false)
    expect(await store.scoring.countStale()).toBe(ADOPTION_BATCH)
    // Scores ten passports with the rule set "two". The adoption of "three" must mark them again.
    expect(await store.scoring.work(10, { ...jobOf('two', 2), onFailure: fail })).toBe(10)
    expect(await adopt('three', 3)).toBe(false)
    for (let steps = 0; !(await adopt('three', 3)); steps++) expect(steps).toBeLessThan(20)
    expect(await store.scoring.countStale()).toBe(ADOPTION_BATCH + 1)
  })

  test('a record that is saved during the adoption with a score by the old rule set is marked as stale', async () => {
    await using store = await open([record(1), record(2)])
    while (!(await store.scoring.adopt(jobOf('old', 1))));
    expect(await store.scoring.adopt(jobOf('young', 2))).toBe(false)
    const arriving = [
      record(1, { connections: 5, rules: 'old' }),
      record(2, { connections: 5, rules: 'young' }),
    ]
    await saveRecords(store, arriving)
    while (!(await store.scoring.adopt(jobOf('young', 2))));
    expect(await find(store, 1)).toMatchObject({ connections: 5, stale: true })
    expect(await find(store, 2)).toMatchObject({ connections: 5, stale: false })
  })
})
