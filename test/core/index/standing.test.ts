import { expect, test } from 'bun:test'
import { findDistribution, rankOf } from '../../../src/core/index/order.ts'
import { indexOf, people, person } from '../../support/index/people.ts'
import { createRandom } from '../../support/random.ts'

const SCORES = [9, 7, 7, 7, 3, 0]
const index = indexOf(people(SCORES.length, (id) => ({ score: SCORES[id - 1] ?? 0, skills_score: id })))

test.each([
  [10, { rank: 1, below: 6, total: 6 }],
  [9, { rank: 1, below: 5, total: 6 }],
  [7, { rank: 2, below: 2, total: 6 }],
  [5, { rank: 5, below: 2, total: 6 }],
  [0, { rank: 6, below: 0, total: 6 }],
])('the score %d has the standing %j', (score, expected) => {
  expect(rankOf(index, score)).toEqual(expected)
})

test('a part of the score has a standing of its own', () => {
  expect(rankOf(index, 5, 'skills_score')).toEqual({ rank: 2, below: 4, total: 6 })
})

test('the distribution counts each score in its bucket', () => {
  const random = createRandom(1)
  const scores = Array.from({ length: 3000 }, () => Math.round(random.next() ** 4 * 30_000) / 100)
  const { distribution, median, highest, ...axis } = findDistribution(
    indexOf(scores.map((score, id) => person(id, { score }))),
  )
  const sorted = scores.toSorted((one, other) => other - one)
  expect([highest, median]).toEqual([sorted[0] ?? 0, sorted[1500] ?? 0])
  expect(distribution.length).toBe(Math.round(axis.scale / axis.step) + 1)
  const { scale, step } = axis
  const above = scores.filter((score) => score > scale).length
  const inLast = (score: number) => score >= scale - step && score <= scale
  for (const [bucket, count] of distribution.slice(0, -2).entries())
    expect(count).toBe(scores.filter((score) => score >= bucket * step && score < (bucket + 1) * step).length)
  expect(distribution.slice(-2)).toEqual([scores.filter(inLast).length, above])
})

test.each([[[]], [[0]], [[12.5]], [[0, 0, 5, 1000]]])('the scores %j have an axis with buckets', (scores) => {
  const { step, scale, distribution } = findDistribution(
    indexOf(scores.map((score, id) => person(id, { score }))),
  )
  expect(scale).toBeGreaterThan(0)
  expect(step).toBeGreaterThan(0)
  expect(distribution.reduce((sum, count) => sum + count, 0)).toBe(scores.length)
})
