import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { DataPoint } from '../../../../src/core/passport/data-point.ts'
import type { Store } from '../../../../src/core/store/store.ts'
import { databaseMaker, onEveryEngine, saveRecords } from '../../../support/store/engines.ts'
import { expectedScores } from '../../../support/store/expected-owners.ts'
import { openPostgres } from '../../../support/store/open.ts'
import { dataPoint, NOON, record } from '../../../support/store/records.ts'
import { rule } from '../../../support/store/rule-files.ts'
import { adoptRules, hand, parseRules, scoreNow, scorerOf } from '../../../support/store/scoring.ts'

const rulesWith = (options: object) =>
  parseRules({ version: '1', types: { code: rule({ max_score: 1000, ...options }) } })
const plain = rulesWith({})
const unique = rulesWith({ unique: 'first' })

const code = (account: string, amount = 9, addedAt?: number): DataPoint => ({
  ...dataPoint('code', amount, account, ''),
  ...(addedAt !== undefined && { addedAt }),
})

async function scoreAll(store: Store, rules = unique): Promise<void> {
  await scoreNow(store, rules)
}

/** Each passport must have the score of the model, unless it is stale. */
async function expectModel(store: Store): Promise<void> {
  const all = await expectedScores(store)
  expect(all.filter(({ stale, score, expected }) => !stale && score !== expected)).toEqual([])
}

const scoresOf = async (store: Store) => (await expectedScores(store)).map(({ score }) => score)

const id = fc.integer({ min: 0, max: 9 })
const account = fc.constantFrom('ada', 'Ada', ' @ADA', 'bob', 'BOB ', 'Zoë', 'ZOË', 'credential:1', '')
/** The amount depends on the account, because the scores of records with a stamp must fit their values. */
const point = fc
  .record({ account, addedAt: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }) })
  .map(({ account, addedAt }) =>
    code(account, account.trim().length + account.length, addedAt && NOON + addedAt),
  )

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ id, point }) },
  { weight: 3, arbitrary: fc.record({ id, points: fc.array(point, { maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ merge: id, into: id }) },
  { weight: 2, arbitrary: fc.record({ unmerge: id }) },
  { weight: 1, arbitrary: fc.record({ remove: id }) },
  { weight: 4, arbitrary: fc.constant('score' as const) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(store: Store, each: Step, now: number): Promise<void> {
  const options = { now, restore: true }
  if (each === 'score') return scoreAll(store)
  if ('point' in each) {
    const { id, point } = each
    return void (await store.records.save([{ kind: 'data-point', passport: { id }, point }], options))
  }
  // The record has the stamp of the rule set, as in an export, so that its scores are used.
  if ('points' in each)
    return void (await saveRecords(
      store,
      [record(each.id, { dataPoints: each.points, rules: unique.stamp, connections: now })],
      options,
    ))
  const change =
    'merge' in each
      ? store.passports.merge(each.merge, each.into, now)
      : 'unmerge' in each
        ? store.passports.unmerge(each.unmerge, now)
        : store.passports.remove(each.remove, now)
  // An impossible change, such as the merge of a removed passport, is refused.
  await Promise.resolve(change).catch((error) => expect(error).toHaveProperty('code'))
}

onEveryEngine('a rule with the option "unique"', (open, engine) => {
  test('after any change, each passport has the score of a simple model, or is stale', async () => {
    const check = async (steps: readonly Step[]) => {
      await using store = await open(Array.from({ length: 10 }, (_, id) => record(id)))
      await adoptRules(scorerOf(store, unique))
      for (const [at, each] of steps.entries()) {
        await take(store, each, NOON + at)
        await expectModel(store)
      }
      await scoreAll(store)
      expect(await store.scoring.countStale()).toBe(0)
      await expectModel(store)
    }
    const history = fc.array(step, { minLength: 20, maxLength: 60 })
    await fc.assert(fc.asyncProperty(history, check), { numRuns: engine === 'sqlite' ? 10 : 2, seed: 32 })
  })

  test('the adoption of the option, and of rules without it, marks exactly the passports whose score changes', async () => {
    const accounts = ['ada', 'Ada', 'bob', 'cid', '@ADA', '', '', 'credential:1', 'credential:1']
    await using store = await open(accounts.map((_, id) => record(id)))
    await adoptRules(scorerOf(store, plain))
    for (const [id, account] of accounts.entries()) await hand(store, { id }, code(account))
    await scoreAll(store, plain)
    const all = [9, 9, 9, 9, 9, 9, 9, 9, 9]
    expect(await scoresOf(store)).toEqual(all)
    const staleIds = async () =>
      (await store.records.list(-1, 99)).flatMap(({ id, stale }) => (stale ? [id] : []))
    await adoptRules(scorerOf(store, unique))
    expect(await staleIds()).toEqual([1, 4])
    await scoreAll(store)
    expect(await scoresOf(store)).toEqual(all.with(1, 0).with(4, 0))
    await adoptRules(scorerOf(store, plain))
    expect(await staleIds()).toEqual([1, 4])
    await scoreAll(store, plain)
    expect(await scoresOf(store)).toEqual(all)
  })

  test('only the next passport with an account becomes stale when the first one loses it, and a later one changes nothing', async () => {
    await using store = await open([1, 2, 3, 4].map((id) => record(id)))
    await adoptRules(scorerOf(store, unique))
    const stale = async () => (await expectedScores(store)).flatMap(({ id, stale }) => (stale ? [id] : []))
    for (const id of [3, 1, 2])
      await store.records.save([{ kind: 'data-point', passport: { id }, point: code('ada') }], {
        now: NOON + (id % 3),
        restore: false,
      })
    await scoreAll(store)
    expect(await scoresOf(store)).toEqual([0, 0, 9, 0])
    await hand(store, { id: 4 }, code('ada', 9, NOON + 10))
    expect(await stale()).toEqual([4])
    await store.passports.remove(3, NOON)
    expect(await stale()).toEqual([1, 4])
    await scoreAll(store)
    expect(await scoresOf(store)).toEqual([9, 0, 0])
    const { events } = await store.events.list({ after: 0, limit: 100, passport: 1 })
    expect(events.at(-1)).toMatchObject({
      type: 'score.changed',
      change: { score: [0, 9], credentials: [{ type: 'code', cause: 'value' }] },
    })
  })
})

describe('postgres: two nodes', () => {
  test('two nodes that write and score at the same time leave one owner of each account', async () => {
    await using database = await databaseMaker('postgres')()
    await using one = await openPostgres(database)
    await using other = await openPostgres(database)
    await saveRecords(
      one,
      Array.from({ length: 20 }, (_, id) => record(id)),
    )
    await adoptRules(scorerOf(one, unique))
    const write = async (store: Store, from: number) => {
      for (let round = 0; round < 30; round++) {
        const id = (from + round * 2) % 20
        const dataPoints = round % 3 === 0 ? [] : [code(`user${(id + round) % 3}`)]
        const changed = record(id, { dataPoints, connections: round, rules: unique.stamp })
        await saveRecords(store, [changed], { now: NOON + round })
      }
    }
    let isWriting = true
    const keepScoring = async (store: Store) => {
      while (isWriting) await scoreNow(store, unique)
    }
    const scoring = Promise.all([one, other].map(keepScoring))
    await Promise.all([write(one, 0), write(other, 1)]).finally(() => {
      isWriting = false
    })
    await scoring
    await expectModel(one)
    await scoreAll(one)
    expect(await one.scoring.countStale()).toBe(0)
    await expectModel(one)
  })
})
