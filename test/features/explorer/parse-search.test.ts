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
  top: [{ name: 'score', value: '>=250', count: 0 }],
  the: [{ name: 'tag', value: 'the', count: 1 }],
  not: [{ name: 'tag', value: 'not', count: 1 }],
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
  ['people with github in lisbon', ['credential=github', 'place=lisbon']],
  ['paris', ['place=paris']],
  ['Zoë from LISBON', ['place=lisbon', '"Zoë"']],
  ['people in New York, with GitHub Developer', ['place=new york', 'credential=github_developer']],
  ['paris, france', ['place=paris, france']],
  ['advanced in łódź', ['score=>=120<250', 'place=lodz']],
  ['not human', ['human=false']],
  ['human rights', ['tag=human rights']],
  ['base', ['tag=base']],
  ['solidity or builders or security', ['filter=tag:solidity|builder|security']],
  ['humans in lisbon or łódź', ['human=true', 'filter=location:lisbon|lodz']],
  ['builders without github', ['tag=builder', 'filter=type:!github']],
  ['builder -github', ['tag=builder', 'filter=type:!github']],
  ['people with github not in łódź', ['credential=github', 'filter=location:!lodz']],
  ['not in lisbon or łódź, tagged solidity', ['filter=location:!lisbon,location:!lodz', 'tag=solidity']],
  ['Zoë without paris, france', ['filter=location:!"paris, france"', '"Zoë"']],
  ['solidity or lisbon', ['tag=solidity', 'place=lisbon']],
  ['without zoe solidity', ['tag=solidity', '"without zoe"']],
  ['advanced or top builder', ['score=>=120<250', 'score=>=250', 'tag=builder']],
  [
    'tag:!builder|solidity score:>50 lisbon',
    ['filter=tag:!builder|solidity', 'filter=score:>50', 'place=lisbon'],
  ],
  ['github:zoe type: solidity', ['tag=solidity', '"github:zoe type:"']],
  ['solidity not', ['tag=solidity', '"not"']],
  ['not advanced', ['score=>=120<250', '"not"']],
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
  'github_engagement:20',
  'lisbo',
  '',
])('the text %j without a facet stays a name', (text) => {
  expect(parseSearch(text, KNOWN)).toEqual({ filters: [], rest: text })
})

test('the phrases of a text include singular forms, and are bounded', () => {
  const phrases = phrasesOf('builders Łódź')
  for (const phrase of ['builders', 'builder', 'lodz', 'builders lodz']) expect(phrases).toContain(phrase)
  expect(phrasesOf('ab '.repeat(70)).length).toBeLessThan(20)
  expect(phrasesOf(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ')).length).toBeLessThan(250)
})

test('a text with very many filters is read up to six of them, and the rest is a name', () => {
  expect(read('solidity builder security github lisbon human advanced solidity')).toEqual([
    ...['tag=solidity', 'tag=builder', 'tag=security', 'credential=github', 'place=lisbon', 'human=true'],
    '"advanced solidity"',
  ])
})

test('any text is read without an error, and no word of a name is lost', () => {
  const word = fc.constantFrom(...Object.keys(FACETS), 'Zoë', 'or', '-', '20', 'in', 'tag:', '__proto__', ',')
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
