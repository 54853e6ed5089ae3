import { expect, test } from 'bun:test'
import { findMatches } from '../../../src/core/index/matches.ts'
import { findNearMisses } from '../../../src/core/index/near-misses.ts'
import { parseFilter } from '../../../src/core/lists/filter.ts'
import { change, indexOf, people, person } from '../../support/index/people.ts'

const NAMES = ['ada lovelace', 'grace hopper', 'hedy lamarr', 'joao silva', 'жанна', '東京 太郎', 'zoe']
const named = indexOf(NAMES.map((name, at) => person(at, { name, tag: [at < 3 ? 'early' : 'late'] })))

const find = (text: string, filter = '', index = named) =>
  findNearMisses(index, text, findMatches(index, { filter: filter === '' ? [] : parseFilter(filter) }))

test.each([
  ['lovelase', ['lovelace']],
  ['lovelce', ['lovelace']],
  ['ada lovelase', ['ada lovelace']],
  ['lovelase ada', ['lovelace ada']],
  ['silvva', ['silva']],
  ['жана', ['жанна']],
  ['жаннa', ['жанна']],
  ['zoi', []],
  ['graec hoper', ['grace hopper']],
  ['ada hopper', []],
  ['quite different', []],
  ['', []],
  ['a b c d e f lovelase', []],
])('for %j, names suggest %j', (text, expected) => {
  expect(find(text)).toEqual(expected)
})

test('only names of passports that match the filter are suggested', () => {
  expect(find('silvva', 'tag:early')).toEqual([])
  expect(find('hoper', 'tag:early')).toEqual(['hopper'])
})

test('at most three are suggested, those with the fewest edits first, and none of removed passports', () => {
  const names = ['marianne', 'mariane', 'mariana', 'marian', 'mariannes']
  const index = indexOf(people(names.length, (id) => ({ name: names[id - 1] ?? '' })))
  expect(find('marianna', '', index)).toHaveLength(3)
  change(index, [1, 2, 4, 5], [])
  expect(find('marianna', '', index)).toEqual(['mariana'])
})
