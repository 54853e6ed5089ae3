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

test('each has 8 to 20 different credentials, and scores that add up', () => {
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

test('no id, wallet or credential id is there twice', () => {
  const unique = <T>(values: T[]) => expect(new Set(values).size).toBe(values.length)
  unique(people.map(({ id }) => id))
  unique(people.flatMap(walletsOf))
  unique(people.flatMap(({ credentials }) => credentials.map(({ id }) => id)))
})

test('nothing in them points to a real person: addresses begin with 0xde30, links lead to example.com', () => {
  for (const { mainWallet, socials } of people) {
    expect(mainWallet).toStartWith('0xde30')
    for (const { url } of socials) expect(url).toStartWith('https://example.com/')
  }
})
