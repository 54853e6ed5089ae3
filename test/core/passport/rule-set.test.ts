import { expect, test } from 'bun:test'
import { replaceNumber } from '../../../src/core/passport/data-point.ts'
import { amountFor, pointsFor, type Rule, stepsOf } from '../../../src/core/passport/rules/rule-set.ts'
import { toPoints } from '../../../src/core/scoring/points.ts'

const rule = (given: Partial<Rule>): Rule => ({
  ...{ name: '', category: '', max_score: 40, convert: 'none', multiplier: 1 },
  ...{ accounts: 'best', proves_human: false },
  ...given,
})

test('the points for a number are those that the scorer gives, and fewer than that number earns fewer points', () => {
  for (const convert of ['none', 'sqrt', 'ln'] as const)
    for (const multiplier of [0.5, 0.75, 1, 4, 6]) {
      const own = rule({ convert, multiplier })
      for (const points of [1, 5, 20, 40]) {
        const amount = amountFor(own, points)
        // Larger numbers are only approximate.
        if (amount > 1e11) continue
        const scored = (raw: number) =>
          toPoints({ raw: { kind: 'number', amount: raw }, rule: own, now: 0 }).points
        expect([own, points, pointsFor(own, amount)]).toEqual([own, points, scored(amount)])
        expect(scored(amount)).toBeGreaterThanOrEqual(points)
        if (amount > 1) expect(scored(amount - 1)).toBeLessThan(points)
      }
    }
})

test('the steps of a rule are whole numbers with the points that they earn, without duplicates', () => {
  expect(stepsOf(rule({ convert: 'sqrt', multiplier: 0.5 }))).toEqual([
    [361, 10],
    [1521, 20],
    [3481, 30],
    [6241, 40],
  ])
  expect(stepsOf(rule({ multiplier: 10, max_score: 20 }))).toEqual([
    [1, 10],
    [2, 20],
  ])
  expect(stepsOf(rule({ multiplier: 4, max_score: 20 }))[0]).toEqual([2, 8])
  for (const given of [{ multiplier: 0 }, { max_score: 0 }, { convert: 'ln', multiplier: 0.001 }] as const)
    expect(stepsOf(rule(given))).toEqual([])
})

test('a number in the text of a value is replaced, and its unit becomes singular or plural', () => {
  expect(replaceNumber('3,600 contributions', '361')).toBe('361 contributions')
  expect(replaceNumber('3 open rounds', '1')).toBe('1 open round')
  expect(replaceNumber('1 round', '2')).toBe('2 rounds')
  expect(replaceNumber('1 BUILD', '2')).toBe('2 BUILD')
  expect(replaceNumber('Humanity Score: 55', '20')).toBe('Humanity Score: 20')
  expect(replaceNumber('3 rounds since 2024-01-05', '7')).toBe('7 rounds since 2024-01-05')
})
