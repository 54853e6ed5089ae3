import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { standingOf } from '../../src/catalog/standing.ts'
import { stretchOf } from '../../src/domain/standing.ts'
import { onEveryEngine, saveRecords } from '../support/engines.ts'
import { catalogOf, snapshotOf } from '../support/listing.ts'
import { named } from '../support/records.ts'

const ofScores = (scores: readonly number[]) =>
  snapshotOf(scores.map((score, id) => ({ id, score, name: '' })))

onEveryEngine('a standing', (open) => {
  test('counts listed passports alone, and follows what is written', async () => {
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

test('passports of one score share a rank, and are below those above', async () => {
  const snapshot = await ofScores([90, 50, 50, 50, 10.5, 10.5, 0, 0, 0, 0])
  const short = (score: number) => {
    const { rank, below, total } = standingOf(snapshot, score)
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

test('an empty list has standings too', async () => {
  expect(standingOf(await ofScores([]), 5)).toMatchObject({ rank: 1, below: 0, total: 0, highest: 0 })
})

test('the distribution counts everybody once, where their score is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1 }), async (numbers) => {
      const all = numbers.map((number) => number / 100)
      const snapshot = await ofScores(all)
      const { distribution, highest } = standingOf(snapshot, 0)
      expect(distribution.reduce((sum, count) => sum + count)).toBe(all.length)
      for (const score of all) {
        const { rank, below } = standingOf(snapshot, score)
        expect(rank).toBe(all.filter((other) => other > score).length + 1)
        expect(below).toBe(all.filter((other) => other < score).length)
        expect(distribution[stretchOf(score, highest)]).toBeGreaterThan(0)
      }
    }),
    { numRuns: 100 },
  )
})
