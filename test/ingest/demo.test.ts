import { expect, test } from 'bun:test'
import { sumScores } from '../../src/domain/credential.ts'
import { walletsOf } from '../../src/domain/passport.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'

const people = inventPeople()
const names = people.map(({ profile }) => profile.displayName)
const share = (count: number) => count / people.length

test('they are the same people every time', () => {
  expect(inventPeople()).toEqual(people)
})

test('a thousand, and one who was merged into another', () => {
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

test('scores are mostly 10 to 120, with a long tail past 250', () => {
  const totals = people.map(({ scores }) => scores.total)
  expect(share(totals.filter((total) => total >= 10 && total <= 120).length)).toBeGreaterThan(0.7)
  expect(totals.filter((total) => total > 250).length).toBeWithin(2, 50)
})

test('no id, wallet or credential id is there twice', () => {
  const unique = <T>(values: T[]) => expect(new Set(values).size).toBe(values.length)
  unique(people.map(({ id }) => id))
  unique(people.flatMap(walletsOf))
  unique(people.flatMap(({ credentials }) => credentials.map(({ id }) => id)))
})

test('names carry accents, emoji, handles and several scripts', () => {
  for (const kind of [
    /[À-ž]/,
    /\p{Extended_Pictographic}/u,
    /\.eth$/,
    /\p{Script=Han}/u,
    /\p{Script=Cyrillic}/u,
    /\p{Script=Arabic}/u,
    /\p{Script=Devanagari}/u,
    /\p{Script=Hangul}/u,
  ]) {
    expect(names.filter((name) => kind.test(name)).length, String(kind)).toBeGreaterThan(0)
  }
})

test('many lack a bio or a location, some have several wallets or one of another chain', () => {
  expect(share(people.filter(({ profile }) => profile.bio === '').length)).toBeWithin(0.2, 0.6)
  expect(share(people.filter(({ profile }) => profile.location === '').length)).toBeWithin(0.2, 0.6)
  expect(people.some(({ verifiedWallets }) => verifiedWallets.length > 2)).toBe(true)
  expect(
    people.some(({ verifiedWallets }) => verifiedWallets.some((wallet) => !wallet.startsWith('0x'))),
  ).toBe(true)
})

test('nothing in them points to a real person: addresses begin with 0xde30, links lead to example.com', () => {
  for (const { mainWallet, socials } of people) {
    expect(mainWallet).toStartWith('0xde30')
    for (const { url } of socials) expect(url).toStartWith('https://example.com/')
  }
})
