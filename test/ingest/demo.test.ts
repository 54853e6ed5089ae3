import { expect, test } from 'bun:test'
import { sumScores } from '../../src/domain/credential.ts'
import { walletsOf } from '../../src/domain/passport.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'

const people = inventPeople()

test('the demo has the same thousand people every time, and one who was merged into another', () => {
  expect(inventPeople()).toEqual(people)
  expect(people.filter(({ mergedInto }) => mergedInto === undefined)).toHaveLength(1000)
  const [merged, ...more] = people.filter(({ mergedInto }) => mergedInto !== undefined)
  expect(more).toEqual([])
  expect(people.some(({ id }) => id === merged?.mergedInto)).toBe(true)
  expect(people.filter(({ stale }) => stale)).toHaveLength(1)
})

test('each demo person has 8 to 20 different credentials, and scores that are their sums', () => {
  for (const { credentials, scores } of people) {
    expect(credentials.length).toBeWithin(8, 21)
    expect(new Set(credentials.map(({ type }) => type)).size).toBe(credentials.length)
    expect(scores).toEqual(sumScores(credentials))
    for (const { score, maxScore } of credentials) {
      expect(Number.isInteger(score)).toBe(true)
      expect(score).toBeWithin(0, maxScore + 1)
    }
  }
})

test('demo ids and wallets are unique, and all URLs are example URLs', () => {
  const credentials = people.flatMap(({ credentials }) => credentials)
  for (const ids of [
    people.map(({ id }) => id),
    people.flatMap(walletsOf),
    credentials.map(({ id }) => id),
  ]) {
    expect(new Set<unknown>(ids).size).toBe(ids.length)
  }
  for (const { mainWallet, socials } of people) {
    expect(mainWallet).toStartWith('0xde30')
    for (const { url } of socials) expect(url).toStartWith('https://example.com/')
  }
})
