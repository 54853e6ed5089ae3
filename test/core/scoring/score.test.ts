import { expect, test } from 'bun:test'
import type { DataPoint, RawValue } from '../../../src/core/passport/data-point.ts'
import { parseRules } from '../../../src/core/scoring/rules-format.ts'
import { score } from '../../../src/core/scoring/score.ts'
import type { RuleSet } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Scorable } from '../../../src/core/store/write/apply-score.ts'
import { credential } from '../../support/store/records.ts'
import { rule as anyRule } from '../../support/store/rule-files.ts'

const NOW = Date.UTC(2026, 0, 1)
const YEAR = 365 * 86_400_000

const rule = (given: object) => anyRule({ max_score: 40, ...given })

const rules: RuleSet = parseRules({
  version: 'test',
  caps: { Identity: 10 },
  types: {
    plain: rule({}),
    root: rule({ convert: 'sqrt', multiplier: 0.5 }),
    log: rule({ convert: 'ln', multiplier: 2, max_score: 20 }),
    years: rule({ convert: 'years', multiplier: 2, max_score: 8, category: 'Identity' }),
    flag: rule({ multiplier: 8, max_score: 8, category: 'Identity', proves_human: true }),
    summed: rule({ convert: 'sqrt', accounts: 'sum', category: 'Activity' }),
    hobby: rule({ category: 'Hobbies' }),
  },
})

const number = (amount: number): RawValue => ({ kind: 'number', amount })
const flag = (amount: 0 | 1): RawValue => ({ kind: 'flag', amount })
const date = (amount: number): RawValue => ({ kind: 'date', amount })
const point = (type: string, value: RawValue, overrides: Partial<DataPoint> = {}): DataPoint => ({
  ...{ type, account: '', value, display: '' },
  ...overrides,
})

const passport = (overrides: Partial<Scorable>): Scorable => ({
  id: 1,
  recordCredentials: [],
  dataPoints: [],
  givenHuman: false,
  givenScores: { total: 0, activity: 0, identity: 0, skills: 0 },
  ...overrides,
})
const scoreOf = (...dataPoints: DataPoint[]) => score(passport({ dataPoints }), rules, NOW)

const noNumber = '0: the rule needs a number, the value is a date'
const noDate = '0: the rule counts years since a date, the value is a number'

test.each([
  [point('plain', number(7.4)), 7, 'min(round(7.4 × 1), 40) = 7', '7.4 × 1 = 7.4, rounded to 7, at most 40'],
  [point('plain', number(7.5)), 8, 'min(round(7.5 × 1), 40) = 8', ''],
  [point('plain', number(1000)), 40, 'min(round(1000 × 1), 40) = 40', '1000 × 1 = 1000, at most 40'],
  [point('plain', number(-3)), 0, 'min(round(-3 × 1), 40) = 0', '-3 × 1 = -3, rounded to 0, at most 40'],
  [point('plain', flag(1)), 1, 'min(round(1 × 1), 40) = 1', ''],
  [point('root', number(1764)), 21, 'min(round(√1764 × 0.5), 40) = 21', '√1764 × 0.5 = 21, at most 40'],
  [point('root', number(1734)), 21, 'min(round(√1734 × 0.5), 40) = 21', '√1734 × 0.5 = 20.82, rounded to 21'],
  [point('root', number(0)), 0, 'min(round(√0 × 0.5), 40) = 0', ''],
  [point('root', number(-4)), 0, 'min(round(√-4 × 0.5), 40) = 0', ''],
  [
    point('log', number(20)),
    6,
    'min(round(ln(20) × 2), 20) = 6',
    'ln(20) × 2 = 5.99, rounded to 6, at most 20',
  ],
  [point('log', number(0.5)), 0, 'min(round(ln(0.5) × 2), 20) = 0', ''],
  [point('log', number(0)), 0, 'min(round(ln(0) × 2), 20) = 0', ''],
  [point('log', number(1e9)), 20, 'min(round(ln(1000000000) × 2), 20) = 20', ''],
  [
    point('years', date(NOW - 2 * YEAR)),
    4,
    'min(round(2 years since 2024-01-02 × 2), 8) = 4',
    '× 2 = 4, at most 8',
  ],
  [point('years', date(NOW - 1.256 * YEAR)), 3, 'min(round(1.26 years since 2024-09-29 × 2), 8) = 3', ''],
  [point('years', date(NOW + YEAR)), 0, 'min(round(-1 years since 2027-01-01 × 2), 8) = 0', ''],
  [point('years', number(5)), 0, noDate, noDate],
  [point('plain', date(NOW)), 0, noNumber, noNumber],
  [point('flag', flag(1)), 8, 'min(round(1 × 8), 8) = 8', '8 of 8 points'],
  [point('flag', flag(0)), 0, 'min(round(0 × 8), 8) = 0', '0 of 8 points'],
])('%p has %d points, and is explained by a formula and in words', (given, points, formula, words) => {
  const { credentials, lines } = scoreOf(given)
  expect(credentials).toMatchObject([{ type: given.type, score: points }])
  expect(lines).toMatchObject([{ score: points, formula, from: 'rule' }])
  expect(lines[0]?.words).toContain(words)
})

test('a rule with accounts "sum" adds the raw values of all accounts before the conversion, except dates', () => {
  const { credentials, lines } = scoreOf(
    point('summed', number(9), { account: 'a', earnedAt: 200 }),
    point('summed', number(16), { account: 'b', earnedAt: 100 }),
    point('summed', date(NOW), { account: 'c' }),
  )
  expect(credentials).toMatchObject([{ score: 5, value: '25', earnedAt: 100 }])
  expect(lines[0]?.accounts.map(({ account }) => account)).toEqual(['a', 'b', 'c'])
})

test('a rule with accounts "best" uses the value and the display text of the best account', () => {
  const { credentials } = scoreOf(
    point('root', number(16), { account: 'a', display: '16 stars' }),
    point('root', number(100), { account: 'b', display: '100 stars', earnedAt: 7 }),
  )
  expect(credentials).toMatchObject([{ score: 5, value: '100 stars', earnedAt: 7 }])
})

test('the total is the sum of Activity, Identity and Skills, each up to its cap, without other categories', () => {
  const { scores } = scoreOf(
    point('plain', number(20)),
    point('summed', number(25)),
    point('flag', flag(1)),
    point('years', date(NOW - 3 * YEAR)),
    point('hobby', number(30)),
  )
  expect(scores).toEqual({ skills: 20, activity: 5, identity: 14, total: 35 })
  const recordCredentials = [0.1, 0.2].map((score) => credential(`${score}`, { category: 'Activity', score }))
  expect(score(passport({ recordCredentials }), rules, NOW).scores).toMatchObject({
    activity: 0.3,
    total: 0.3,
  })
})

test('a credential of a record keeps its score, capped at its maximum', () => {
  const recordCredentials = [
    credential('a', { type: 'x', score: 3.25, maxScore: 5, category: 'Skills' }),
    credential('b', { type: 'y', score: 9, maxScore: 5, category: 'Skills' }),
  ]
  const { scores, credentials, lines } = score(passport({ recordCredentials }), rules, NOW)
  expect(scores).toMatchObject({ skills: 8.25, total: 8.25 })
  expect(credentials).toMatchObject([
    { id: 'a', score: 3.25, givenScore: 3.25 },
    { id: 'b', score: 5, givenScore: 9 },
  ])
  expect(lines.map(({ formula }) => formula)).toEqual([
    '3.25 in the record',
    '9 in the record, 5 at most = 5',
  ])
})

test("a data point replaces the record's credential of the same type if the type has a rule", () => {
  const recordCredentials = [
    credential('a', { type: 'plain', score: 3, maxScore: 40, category: 'Skills' }),
    credential('b', { type: 'other', superseded: true }),
  ]
  const input = passport({
    recordCredentials,
    dataPoints: [point('plain', number(9)), point('other', number(5))],
  })
  const before = structuredClone(input)
  const { credentials, scores, lines } = score(input, rules, NOW)
  expect(credentials.map(({ type, score, superseded }) => [type, score, superseded])).toEqual([
    ['other', 1, undefined],
    ['plain', 9, undefined],
    ['plain', 3, true],
  ])
  expect(scores).toMatchObject({ skills: 9, total: 10 })
  expect(lines.at(-1)).toMatchObject({ type: 'other', from: 'nothing', formula: 'no rule for this type' })
  expect(input).toEqual(before)
})

test('a calculated credential gets another id if its id is already used by a credential of the record', () => {
  const dataPoints = [point('plain', number(1))]
  const taken = scoreOf(...dataPoints).credentials[0]?.id as string
  const recordCredentials = [credential(taken, { type: 'other' })]
  const { credentials } = score(passport({ recordCredentials, dataPoints }), rules, NOW)
  expect(new Set(credentials.map(({ id }) => id)).size).toBe(2)
})

test('the sum of the values of accounts has no rounding error', () => {
  const [credential] = scoreOf(
    point('summed', number(0.1), { account: 'a' }),
    point('summed', number(0.2), { account: 'b' }),
  ).credentials
  expect(credential?.value).toBe('0.3')
})

test('a sum that overflows to Infinity is never scored as NaN', () => {
  const nothing = parseRules({ version: 'x', types: { plain: rule({ multiplier: 0, accounts: 'sum' }) } })
  const huge = [
    point('plain', number(1e308), { account: 'a' }),
    point('plain', number(1e308), { account: 'b' }),
  ]
  expect(score(passport({ dataPoints: huge }), nothing, NOW).scores.total).toBe(0)
  expect(score(passport({ dataPoints: huge }), rules, NOW).scores.total).toBe(40)
})

test('a credential that proves a human sets the human checkmark if it has points, and a record can set it, too', () => {
  expect(scoreOf(point('flag', flag(1))).human).toBe(true)
  expect(scoreOf(point('flag', flag(0))).human).toBe(false)
  expect(scoreOf(point('plain', number(5))).human).toBe(false)
  expect(score(passport({ givenHuman: true }), rules, NOW).human).toBe(true)
})

test('a passport keeps the scores of its record until a credential or data point is scored', () => {
  const givenScores = { total: 12, activity: 5, identity: 4, skills: 3 }
  expect(score(passport({ givenScores }), rules, NOW).scores).toEqual(givenScores)
  const dataPoints = [point('unheard_of', number(1))]
  const recordCredentials = [{ ...credential('a', { score: 0 }), lacksScore: true }]
  expect(score(passport({ givenScores, dataPoints, recordCredentials }), rules, NOW).scores).toEqual(
    givenScores,
  )
  const flagged = [...dataPoints, point('flag', flag(0))]
  expect(score(passport({ givenScores, dataPoints: flagged }), rules, NOW).scores.total).toBe(0)
})

test('a calculated credential has a reproducible id', () => {
  const id = (passportId: number, type: string) =>
    score(passport({ id: passportId, dataPoints: [point(type, number(1))] }), rules, NOW).credentials[0]?.id
  expect(id(1, 'plain')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(id(1, 'plain')).toBe(id(1, 'plain') as string)
  expect(new Set([id(1, 'plain'), id(2, 'plain'), id(1, 'root'), id(11, 'plain')]).size).toBe(4)
})

test('a type with the name of an inherited property has no rule', () => {
  expect(scoreOf(point('constructor', number(1)), point('__proto__', number(1))).credentials).toEqual([])
})
