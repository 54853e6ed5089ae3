import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type KnownFacet,
  parseSearch,
  phrasesOf,
} from '../../../src/features/explorer/ranking/parse-search.ts'

const FACETS: Record<string, KnownFacet[]> = {
  solidity: [{ name: 'tag', value: 'solidity', count: 248 }],
  builder: [{ name: 'tag', value: 'builder', count: 270 }],
  security: [{ name: 'tag', value: 'security', count: 3 }],
  'human rights': [{ name: 'tag', value: 'human rights', count: 2 }],
  lisbon: [{ name: 'place', value: 'lisbon', count: 69 }],
  lodz: [{ name: 'place', value: 'lodz', count: 65 }],
  york: [{ name: 'place', value: 'york', count: 5 }],
  'new york': [{ name: 'place', value: 'new york', count: 4 }],
  paris: [
    { name: 'place', value: 'paris, texas', count: 4 },
    { name: 'place', value: 'paris', count: 2 },
  ],
  engagement: [{ name: 'credential', value: 'github_engagement', count: 9 }],
  'paris, france': [{ name: 'place', value: 'paris, france', count: 4 }],
  base: [
    { name: 'tag', value: 'base', count: 9 },
    { name: 'place', value: 'base', count: 1 },
    { name: 'credential', value: 'base_activity', count: 5 },
  ],
  github: [{ name: 'credential', value: 'github', count: 68 }],
  'github developer': [{ name: 'credential', value: 'github_developer', count: 300 }],
  advanced: [{ name: 'score', value: '>=120<250', count: 0 }],
  the: [{ name: 'tag', value: 'the', count: 1 }],
  '#star': [{ name: 'credential', value: 'github_engagement', count: 0, toPoints: () => '>=3' }],
  42: [{ name: 'tag', value: '42', count: 1 }],
}
const KNOWN = new Map(Object.entries(FACETS))

/** Filters as `name=value`, then the rest in quotes. */
function read(text: string): string[] {
  const { filters, rest } = parseSearch(text, KNOWN)
  return [...filters.map(({ name, value }) => `${name}=${value}`), ...(rest === '' ? [] : [`"${rest}"`])]
}

test.each([
  ['solidity lisbon', ['tag=solidity', 'place=lisbon']],
  ['human builders in łódź', ['human=true', 'tag=builder', 'place=lodz']],
  ['the best solidity developers in lisbon', ['tag=solidity', 'place=lisbon']],
  ['engineers in lisbon', ['place=lisbon']],
  ['Dev in lisbon', ['place=lisbon']],
  ['github users in lisbon', ['credential=github', 'place=lisbon']],
  ['github 20+', ['points=github>=20']],
  ['over 100 stars', ['points=github_engagement>=3']],
  ['stars', ['"stars"']],
  ['lisbon stars over 100', ['place=lisbon', 'points=github_engagement>=3']],
  ['over 1,000 stars', ['points=github_engagement>=3']],
  ['engagement over 1000 stars', ['points=github_engagement>=3']],
  ['developers, lisbon', ['place=lisbon']],
  ['paris', ['place=paris']],
  ['github over 20', ['points=github>20']],
  ['github points above 20', ['points=github>20']],
  ['points over 20 for github', ['points=github>20']],
  ['github, score above 20', ['credential=github', 'score=>20']],
  ['more than 20 github in lisbon', ['points=github>20', 'place=lisbon']],
  ['at least 5 points for GitHub Developer', ['points=github_developer>=5']],
  ['over 100, github', ['score=>100', 'credential=github']],
  ['score over 100 github', ['score=>100', 'credential=github']],
  ['over 100 github over 20', ['score=>100', 'points=github>20']],
  ['Zoë from LISBON', ['place=lisbon', '"Zoë"']],
  ['people in New York, with GitHub Developer', ['place=new york', 'credential=github_developer']],
  ['paris, france', ['place=paris, france']],
  ['score over 200', ['score=>200']],
  ['builders with a score of at least 12.50 points', ['tag=builder', 'score=>=12.5']],
  ['github at most 5 points and score under 90', ['points=github<=5', 'score=<90']],
  ['github>=20, solidity', ['points=github>=20', 'tag=solidity']],
  ['skills over 100', ['score=skills>100']],
  ['Identity score of at least 50 points in lodz', ['score=identity>=50', 'place=lodz']],
  ['activity<5', ['score=activity<5']],
  ['advanced in łódź', ['score=>=120<250', 'place=lodz']],
  ['over 100', ['score=>100']],
  ['score between 100 and 150', ['score=>=100<=150']],
  ['builders 100-150', ['tag=builder', 'score=>=100<=150']],
  ['skills between 20 and 30 points in lodz', ['score=skills>=20<=30', 'place=lodz']],
  ['github 10–20.5', ['points=github>=10<=20.5']],
  ['not human', ['human=false']],
  ['human rights', ['tag=human rights']],
  ['base', ['tag=base']],
  ['in base', ['place=base']],
  ['with base over 3', ['points=base_activity>3']],
  ['lisbon, lodz', ['filter=location:lisbon|lodz']],
  ['top 10% in lisbon', ['place=lisbon']],
  ['solidity or builders or security', ['filter=tag:solidity|builder|security']],
  ['humans in lisbon or łódź', ['human=true', 'filter=location:lisbon|lodz']],
  ['builders without github', ['tag=builder', 'filter=type:!github']],
  ['builder -github', ['tag=builder', 'filter=type:!github']],
  ['verified humans', ['human=true']],
  ['people with github but not in łódź', ['credential=github', 'filter=location:!lodz']],
  ['not in lisbon or łódź, tagged solidity', ['filter=location:!lisbon,location:!lodz', 'tag=solidity']],
  ['Zoë without paris, france', ['filter=location:!"paris, france"', '"Zoë"']],
  ['solidity or lisbon', ['tag=solidity', 'place=lisbon']],
  ['without zoe solidity', ['tag=solidity', '"without zoe"']],
  ['not advanced', ['score=>=120<250', '"not"']],
  ['top 10 builders', ['tag=builder']],
  ['the best people in łódź', ['place=lodz']],
  ['Top 10', []],
])('the text %j is read as %j', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

test.each([
  'Ada Lovelace',
  'ada and grace',
  'github:zoe',
  '0xde30…12cd',
  'the',
  '42',
  '150-100',
  'over',
  'score',
  'skills',
  'identity of score',
  'lisbo',
  '',
])('the text %j without a facet stays a name', (text) => {
  expect(parseSearch(text, KNOWN)).toEqual({ filters: [], rest: text })
})

test.each([
  ['developers', '', 'skills'],
  ['Ada engineer', 'Ada', 'skills'],
  ['highest identity engineers', '', 'identity'],
  ['Dev', 'Dev', undefined],
] as const)('the text %j is the name %j, sorted by %j', (text, rest, sort) => {
  expect(parseSearch(text, KNOWN)).toMatchObject({ filters: [], rest, sort })
})

test('each filter keeps its words as typed', () => {
  const { filters } = parseSearch('Human Builders in Łódź, github over 20 points', KNOWN)
  expect(filters.map(({ text }) => text)).toEqual(['Human', 'Builders', 'Łódź', 'github over 20 points'])
})

test('the phrases of a text include singular and plural forms, and are bounded', () => {
  const phrases = phrasesOf('securities Łódź')
  for (const phrase of ['securities', 'security', 'lodz', 'securities lodz'])
    expect(phrases).toContain(phrase)
  expect(phrasesOf('ab '.repeat(70)).length).toBeLessThan(20)
  expect(phrasesOf(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ')).length).toBeLessThan(250)
})

test('a text with very many filters is read up to six of them, and the rest is a name', () => {
  expect(read('solidity builder security github lisbon human over 5 solidity')).toEqual([
    ...['tag=solidity', 'tag=builder', 'tag=security', 'credential=github', 'place=lisbon', 'human=true'],
    '"5 solidity"',
  ])
})

test('any text is read without an error, and no word of a name is lost', () => {
  const word = fc.constantFrom(
    ...Object.keys(FACETS),
    'Zoë',
    'over',
    'at least',
    '20',
    'in',
    '<',
    '__proto__',
    ',',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word).map((words) => words.join(' ')),
      ),
      (text) => {
        const { filters, rest } = parseSearch(text, KNOWN)
        expect(filters.length).toBeLessThanOrEqual(6)
        if (filters.length === 0) expect(rest).toBe(text)
        for (const name of text.match(/Zoë/g) ?? []) expect(rest).toContain(name)
      },
    ),
    { numRuns: 300 },
  )
})
