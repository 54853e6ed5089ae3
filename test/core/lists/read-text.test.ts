import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { equals, formatFilter, parseFilter } from '../../../src/core/lists/filter.ts'
import { type Candidate, readText } from '../../../src/core/lists/read-text.ts'

const VALUES: Record<string, Candidate[]> = {
  solidity: [{ terms: [equals('tag', 'solidity')], count: 248 }],
  builder: [{ terms: [equals('tag', 'builder')], count: 270 }],
  'human rights': [{ terms: [equals('tag', 'human rights')], count: 2 }],
  lisbon: [{ terms: [equals('location', 'lisbon')], count: 69 }],
  lodz: [{ terms: [equals('location', 'lodz')], count: 65 }],
  'new york': [{ terms: [equals('location', 'new york')], count: 4 }],
  york: [{ terms: [equals('location', 'york')], count: 5 }],
  'paris, france': [{ terms: [equals('location', 'paris, france')], count: 4 }],
  base: [
    { terms: [equals('tag', 'base')], count: 9 },
    { terms: [equals('location', 'base')], count: 1 },
    { terms: [equals('type', 'base')], count: 5 },
  ],
  github: [{ terms: [equals('type', 'github')], count: 68 }],
  advanced: [{ terms: parseFilter('score:>=120,score:<250'), count: 0 }],
  beginner: [{ terms: parseFilter('score:>=0,score:<30'), count: 0 }],
  outstanding: [{ terms: parseFilter('score:>=250'), count: 0 }],
  the: [{ terms: [equals('tag', 'the')], count: 1 }],
  not: [{ terms: [equals('tag', 'not')], count: 1 }],
  42: [{ terms: [equals('tag', '42')], count: 1 }],
}
const lookup = (phrase: string) => (Object.hasOwn(VALUES, phrase) ? (VALUES[phrase] ?? []) : [])

/** The filter, then the name in quotes. */
function read(text: string): string {
  const { chips, name } = readText(text, lookup)
  const filter = formatFilter(chips.map(({ term }) => term))
  return [filter, ...(name === '' ? [] : [`"${name}"`])].join(' ').trim()
}

test.each([
  ['solidity lisbon', 'tag:solidity,location:lisbon'],
  ['human builders in łódź', 'human:true,tag:builder,location:lodz'],
  ['people with github in lisbon', 'type:github,location:lisbon'],
  ['Zoë from LISBON', 'location:lisbon "Zoë"'],
  ['people in New York, with GitHub', 'location:new york,type:github'],
  ['paris, france', 'location:"paris, france"'],
  ['advanced in łódź', 'score:>=120,score:<250,location:lodz'],
  ['advanced or outstanding', 'score:>=120'],
  ['beginner or advanced', 'score:>=0,score:<30|>=120,score:<250'],
  ['outstanding or advanced or beginner', 'score:>=0,score:<30|>=120'],
  ['solidity, beginner or advanced', 'tag:solidity,score:>=0,score:<30|>=120,score:<250'],
  ['not advanced', 'score:!>=120|!<250'],
  ['"solidity" lisbon', 'location:lisbon "solidity"'],
  ['"solidity lisbon"', '"solidity lisbon"'],
  ['not human', 'human:!true'],
  ['human rights', 'tag:human rights'],
  ['base', 'tag:base'],
  ['people with base', 'type:base'],
  ['zoe in base', 'location:base "zoe"'],
  ['solidity or builders', 'tag:solidity|builder'],
  ['in lisbon or in łódź', 'location:lisbon|lodz'],
  ['builders without github', 'tag:builder,type:!github'],
  ['builders without a github', 'tag:builder,type:!github'],
  ['builder -github', 'tag:builder,type:!github'],
  ['no github', 'type:!github'],
  ['not in lisbon or łódź, tagged solidity', 'location:!lisbon,location:!lodz,tag:solidity'],
  ['solidity or lisbon', 'tag:solidity,location:lisbon'],
  ['without zoe solidity', 'tag:solidity "without zoe"'],
  ['tag:!builder|solidity score:>50 lisbon', 'tag:!builder|solidity,score:>50,location:lisbon'],
  ['location:"new york",human:true zoe', 'location:new york,human:true "zoe"'],
  ['github:zoe type: solidity', 'tag:solidity "github:zoe type:"'],
  ['solidity not', 'tag:solidity "not"'],
  ['zoe -ray solidity', 'tag:solidity "zoe -ray"'],
])('the text %j is read as %j', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test.each([
  'Ada Lovelace',
  'ada and grace',
  'github:zoe',
  '0xde30…12cd',
  'the',
  '42',
  'lisbo',
  'jean-luc',
  '-',
])('the text %j without a value stays a name', (text) => {
  expect(readText(text, lookup)).toEqual({ chips: [], name: text })
})

test('a chip has the words of the text that it stands for', () => {
  expect(readText('people in New York or Łódź', lookup).chips.map(({ words }) => words)).toEqual([
    'New York or Łódź',
  ])
})

test('words after the twelfth are part of a name', () => {
  expect(read(`${'zoe '.repeat(12)}solidity`)).toBe(`"${'zoe '.repeat(12)}solidity"`)
})

test('any text is read without an error, and no word of a name is lost', () => {
  const word = fc.constantFrom(
    ...Object.keys(VALUES),
    'Zoë',
    'or',
    '-',
    '20',
    'in',
    'tag:',
    '"',
    '__proto__',
    ',',
  )
  const words = fc.array(word).map((list) => list.join(' '))
  fc.assert(
    fc.property(fc.oneof(fc.string(), words), (text) => {
      const { chips, name } = readText(text, lookup)
      parseFilter(formatFilter([...chips.map(({ term }) => term), equals('human', 'true')]))
      const count = (of: string) => of.match(/Zoë/g)?.length ?? 0
      expect(count(name)).toBe(count(text))
    }),
    { numRuns: 300 },
  )
})
