import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createStandings, stretchOf } from '../../src/domain/standing.ts'

test('passports of one score share a rank, and are below those above', () => {
  const standing = createStandings({ scores: [90, 50, 10.5, 0], counts: [1, 3, 2, 4] })
  const short = (score: number) => {
    const { rank, below, total } = standing(score)
    return [rank, below, total]
  }
  expect(short(90)).toEqual([1, 9, 10])
  expect(short(50)).toEqual([2, 6, 10])
  expect(short(10.5)).toEqual([5, 4, 10])
  expect(short(0)).toEqual([7, 0, 10])
  // A score that is not among them yet.
  expect(short(60)).toEqual([2, 9, 10])
  expect(short(200)).toEqual([1, 10, 10])
})

test('an empty list has standings too', () => {
  expect(createStandings({ scores: [], counts: [] })(5)).toMatchObject({
    rank: 1,
    below: 0,
    total: 0,
    highest: 0,
  })
})

test('the distribution counts everybody once, where their score is', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1 }), (numbers) => {
      const all = numbers.map((number) => number / 100).sort((a, b) => b - a)
      const groups = [...Map.groupBy(all, (score) => score)]
      const standing = createStandings({
        scores: groups.map(([score]) => score),
        counts: groups.map(([, same]) => same.length),
      })
      const { distribution, highest } = standing(0)
      expect(distribution.reduce((sum, count) => sum + count)).toBe(all.length)
      for (const score of all) {
        const { rank, below } = standing(score)
        expect(rank).toBe(all.filter((other) => other > score).length + 1)
        expect(below).toBe(all.filter((other) => other < score).length)
        expect(distribution[stretchOf(score, highest)]).toBeGreaterThan(0)
      }
    }),
    { numRuns: 100 },
  )
})
