import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bucketOf, findStanding } from '../../../src/core/reads/standing.ts'
import { catalogOf, snapshotOf } from '../../support/store/catalog.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'

const ofScores = (scores: readonly number[]) =>
  snapshotOf(scores.map((score, id) => ({ id, score, name: '' })))

onEveryEngine('the standing of a score', (open) => {
  test('ranks and totals count listed passports only, and reflect every write', async () => {
    await using store = await open([
      named(1, 'A', 90),
      named(2, 'B', 50),
      named(3, 'C', 50),
      named(4, 'D', 10.25),
      { ...named(5, 'E', 70), mergedInto: 1 },
    ])
    const { standing } = catalogOf(store)
    expect(await standing(50)).toMatchObject({ rank: 2, below: 1, total: 4, highest: 90 })
    await saveRecords(store, [named(6, 'F', 120)])
    expect(await standing(50)).toMatchObject({ rank: 3, below: 1, total: 5, highest: 120 })
  })
})

test('equal scores have equal ranks, and the distribution counts each passport in the bucket of its score', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 300 })), async (numbers) => {
      const all = numbers.map((number) => number / 4)
      const snapshot = await ofScores(all)
      const { distribution, scale, step } = findStanding(snapshot, 0)
      expect(distribution.reduce((sum, count) => sum + count)).toBe(all.length)
      // 12.3 is a score that no passport has.
      for (const score of [...all, 12.3]) {
        const { rank, below } = findStanding(snapshot, score)
        expect(rank).toBe(all.filter((other) => other > score).length + 1)
        expect(below).toBe(all.filter((other) => other < score).length)
        if (all.includes(score)) expect(distribution[bucketOf(score, { scale, step })]).toBeGreaterThan(0)
      }
    }),
    { numRuns: 100 },
  )
})

test('an outlier does not stretch the scale, and is counted in the last bucket', async () => {
  const usual = Array.from({ length: 199 }, (_, at) => at + 1)
  const { distribution, scale, step, median, highest } = findStanding(
    await ofScores([990_000_000, ...usual]),
    0,
  )
  expect({ scale, step, median, highest }).toEqual({ scale: 200, step: 5, median: 100, highest: 990_000_000 })
  expect(distribution).toHaveLength(41)
  expect(distribution.at(-1)).toBe(1)
  expect(Math.max(...distribution)).toBe(5)
})

test('the edges of buckets are round numbers', async () => {
  for (const [highest, step, scale] of [
    [286, 10, 290],
    [75, 2, 76],
    [1042.5, 50, 1050],
    [1, 0.05, 1],
    [0.5, 0.05, 0.5],
    [0, 0.05, 0.05],
  ] as const) {
    const standing = findStanding(await ofScores([highest, highest, 0]), 0)
    expect([highest, standing.step, standing.scale]).toEqual([highest, step, scale])
  }
})
