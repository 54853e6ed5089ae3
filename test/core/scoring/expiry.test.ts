import { expect, test } from 'bun:test'
import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import { createPassportExplainer } from '../../../src/core/scoring/explain-score.ts'
import { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { parseRules } from '../../../src/core/scoring/rules-format.ts'
import { score } from '../../../src/core/scoring/score.ts'
import { type RuleSet, toAppliedRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { listLater } from '../../support/store/events-after-time.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import { dataPoint, NOON, record } from '../../support/store/records.ts'
import { rule } from '../../support/store/rule-files.ts'
import { fail, find, hand } from '../../support/store/scoring.ts'

const DAY = 86_400_000
const rulesWith = (options: object) =>
  parseRules({ version: '1', types: { kites: rule(options), other: rule() } })
const lasting = rulesWith({})
const expiring = rulesWith({ expires: '30d' })

const kites = (amount: number, given: Partial<DataPoint> = {}): DataPoint => ({
  ...dataPoint('kites', amount, '', ''),
  ...given,
})
const day = (time: number) => new Date(time).toISOString().slice(0, 10)

const scorerAt = (store: Store, time: number, rules: RuleSet = expiring) => ({
  ...{ store, rules, now: () => time, onFailure: fail },
})

/** Returns how many passports were scored. */
async function scoreAt(store: Store, time: number, rules?: RuleSet): Promise<number> {
  let done = 0
  for (;;) {
    const some = await rescoreSome(scorerAt(store, time, rules))
    if (!some) return done
    done += some
  }
}

const totalOf = async (store: Store, id: number) => (await find(store, id))?.scores.total

function scorePoints(rules: RuleSet, ...dataPoints: DataPoint[]) {
  const givenScores = { total: 0, activity: 0, identity: 0, skills: 0 }
  const passport = { id: 1, recordCredentials: [], dataPoints, givenHuman: false, givenScores }
  return score(passport, rules, NOON)
}

test.each([
  ['counts for 30 days after earned_at', { earnedAt: NOON - 29 * DAY, addedAt: 1 }, 5, NOON + DAY],
  ['counts until the last millisecond', { earnedAt: NOON - 30 * DAY + 1 }, 5, NOON + 1],
  ['expires after exactly 30 days', { earnedAt: NOON - 30 * DAY }, 0, undefined],
  ['without earned_at counts for 30 days after added_at', { addedAt: NOON - DAY }, 5, NOON + 29 * DAY],
  ['of unknown age never expires', {}, 5, undefined],
])('a data point %s', (_, given, points, rescoreAt) => {
  const { scores, lines, rescoreAt: found } = scorePoints(expiring, kites(5, given))
  expect(scores.total).toBe(points)
  expect(found).toBe(rescoreAt)
  const note = rescoreAt === undefined ? '' : `, counts until ${day(rescoreAt)}`
  expect(lines[0]?.formula).toBe(
    points === 0 ? `0: expired on ${day(NOON)}` : `min(round(5 × 1), 90) = 5${note}`,
  )
})

test('expired accounts are left out of a sum and are never the best account', () => {
  const points = [
    kites(50, { account: 'old', earnedAt: NOON - 40 * DAY }),
    kites(3, { account: 'new', earnedAt: NOON - 2 * DAY }),
    kites(4, { account: 'newer', earnedAt: NOON - DAY }),
  ]
  const [best] = scorePoints(expiring, ...points).lines
  expect(best).toMatchObject({
    score: 4,
    accounts: [{ formula: `0: expired on ${day(NOON - 10 * DAY)}` }, {}, {}],
  })
  const sum = scorePoints(rulesWith({ expires: '30d', accounts: 'sum' }), ...points)
  expect(sum.lines[0]?.formula).toBe(`min(round(7 × 1), 90) = 7, counts until ${day(NOON + 28 * DAY)}`)
  expect(sum.rescoreAt).toBe(NOON + 28 * DAY)
})

onEveryEngine('a rule with the option "expires"', (open) => {
  test('a passport is scored again when a data point expires, because of the time', async () => {
    await using store = await open([record(1), record(2)])
    await adoptRules(scorerAt(store, NOON))
    await hand(store, { id: 1 }, kites(5, { earnedAt: NOON - 20 * DAY }))
    await hand(store, { id: 1 }, kites(3, { account: 'b', earnedAt: NOON }))
    await hand(store, { id: 2 }, dataPoint('other', 9))
    expect(await scoreAt(store, NOON)).toBe(2)
    expect(await scoreAt(store, NOON + 10 * DAY - 1)).toBe(0)
    expect(await totalOf(store, 1)).toBe(5)
    expect(await scoreAt(store, NOON + 10 * DAY)).toBe(1)
    expect(await totalOf(store, 1)).toBe(3)
    expect(await scoreAt(store, NOON + 30 * DAY)).toBe(1)
    expect(await totalOf(store, 1)).toBe(0)
    expect(await scoreAt(store, NOON + 900 * DAY)).toBe(0)
    expect(await listLater(store, [1], NOON)).toMatchObject(
      [
        [3, 0],
        [5, 3],
      ].map((score) => ({ change: { score, credentials: [{ type: 'kites', cause: 'time', score }] } })),
    )
    await hand(store, { id: 1 }, kites(7, { earnedAt: NOON + 900 * DAY }))
    await scoreAt(store, NOON + 900 * DAY)
    expect(await totalOf(store, 1)).toBe(7)
  })

  test('adopting the option scores the passports with such data points again, and they expire later', async () => {
    await using store = await open([1, 2, 3].map((id) => record(id)))
    await adoptRules(scorerAt(store, NOON, lasting))
    await hand(store, { id: 1 }, kites(5, { earnedAt: NOON - 20 * DAY }))
    await hand(store, { id: 2 }, kites(5, { earnedAt: NOON }))
    await hand(store, { id: 3 }, dataPoint('other', 9))
    await scoreAt(store, NOON, lasting)
    const later = NOON + 15 * DAY
    await adoptRules(scorerAt(store, later))
    expect(await store.scoring.countStale()).toBe(2)
    expect(await scoreAt(store, later)).toBe(2)
    expect(await Promise.all([1, 2, 3].map((id) => totalOf(store, id)))).toEqual([0, 5, 9])
    expect(await scoreAt(store, NOON + 30 * DAY)).toBe(1)
    expect(await totalOf(store, 2)).toBe(0)
  })

  test('a data point no longer expires after the adoption of rules without the option', async () => {
    await using store = await open([record(1)])
    await adoptRules(scorerAt(store, NOON))
    await hand(store, { id: 1 }, kites(5, { earnedAt: NOON }))
    await scoreAt(store, NOON)
    const others = parseRules({ version: '2', types: { kites: rule(), other: rule({ expires: '1d' }) } })
    await adoptRules(scorerAt(store, NOON, others))
    expect(await scoreAt(store, NOON, others)).toBe(1)
    expect(await scoreAt(store, NOON + 30 * DAY, others)).toBe(0)
    expect(await totalOf(store, 1)).toBe(5)
  })

  test('a record with a score by the same rule set is scored again, so that its data points expire', async () => {
    const scored = record(1, {
      dataPoints: [kites(5, { earnedAt: NOON })],
      rules: expiring.stamp,
      scores: { total: 5, skills: 5 },
    })
    await using before = await open([scored])
    await adoptRules(scorerAt(before, NOON))
    await using after = await open()
    await adoptRules(scorerAt(after, NOON))
    await saveRecords(after, [scored])
    for (const store of [before, after]) {
      await scoreAt(store, NOON)
      expect(await totalOf(store, 1)).toBe(5)
      await scoreAt(store, NOON + 30 * DAY)
      expect(await totalOf(store, 1)).toBe(0)
    }
  })

  test('a passport that cannot be scored after an expiry is not tried again and again', async () => {
    await using store = await open([record(1)])
    await adoptRules(scorerAt(store, NOON))
    await hand(store, { id: 1 }, kites(5, { earnedAt: NOON }))
    await scoreAt(store, NOON)
    const failures: number[] = []
    const job = {
      rules: expiring.stamp,
      watched: { unique: [], expiring: ['kites'] },
      now: NOON + 30 * DAY,
      score: () => {
        throw new Error('on purpose')
      },
      onFailure: (id: number) => failures.push(id),
    }
    expect(await store.scoring.work(10, job)).toBe(1)
    expect(await store.scoring.work(10, job)).toBe(0)
    expect(failures).toEqual([1])
  })

  test('an explanation says since when a data point has expired, or that its account does not count', async () => {
    await using store = await open([record(1), record(2)])
    const rules = rulesWith({ expires: '30d', unique: 'first', accounts: 'sum' })
    await store.data(RULE_SETS).apply(toAppliedRules(rules, 'apply', NOON))
    await adoptRules(scorerAt(store, NOON, rules))
    await hand(store, { id: 1 }, kites(5, { account: 'ada', addedAt: NOON - DAY, earnedAt: NOON - 40 * DAY }))
    await hand(store, { id: 2 }, kites(6, { account: '@Ada' }))
    await scoreAt(store, NOON, rules)
    const explain = createPassportExplainer(store)
    const wordsOf = async (id: number) => (await explain({ id }))?.lines[0]
    const expired = `expired on ${day(NOON - 10 * DAY)}`
    expect(await wordsOf(1)).toMatchObject({
      score: 0,
      words: `0: ${expired}`,
      accounts: [{ obstacle: expired }],
    })
    // An expired data point still holds its account.
    const taken = 'this account does not count here'
    // The words are the same for a hidden passport, and mention no other passport.
    for (const isHidden of [false, true]) {
      await store.passports.hide(1, isHidden, NOON)
      expect(await wordsOf(2)).toMatchObject({
        score: 0,
        words: `0: ${taken}`,
        accounts: [{ obstacle: taken }],
      })
    }
    for (const account of ['b', 'c']) await hand(store, { id: 2 }, kites(1, { account, earnedAt: NOON }))
    await scoreAt(store, NOON, rules)
    const words = `2 × 1 = 2, at most 90, counts until ${day(NOON + 30 * DAY)}`
    expect(await wordsOf(2)).toMatchObject({ score: 2, words })
  })
})
