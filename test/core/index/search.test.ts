import { expect, test } from 'bun:test'
import { search } from '../../../src/core/index/search.ts'
import { formatFilter, parseFilter } from '../../../src/core/lists/filter.ts'
import { indexOf, person } from '../../support/index/people.ts'

const index = indexOf([
  person(1, { name: 'ada lovelace', score: 9, tag: ['ZK'], location: ['london'] }),
  person(2, { name: 'ada byron', score: 5, tag: ['poet'] }),
  person(3, { name: 'grace hopper', score: 7, tag: ['zk', 'cobol'] }),
])

const find = (text: string, filter = '') => {
  const { reading, page, instead } = search(index, {
    text,
    filter: filter === '' ? [] : parseFilter(filter),
    sort: { field: 'score', descending: true },
    limit: 25,
    known: new Map([['high', [parseFilter('score:>=7')]]]),
  })
  const terms = formatFilter(reading.chips.map(({ term }) => term))
  return { terms, name: reading.name, ids: page.ids, instead }
}

test('a text is read and its people are listed', () => {
  expect(find('zk')).toEqual({ terms: 'tag:zk', name: '', ids: [1, 3], instead: undefined })
  expect(find('Ada')).toEqual({ terms: '', name: 'Ada', ids: [1, 2], instead: undefined })
  expect(find('zk LOVELACE ada')).toMatchObject({ terms: 'tag:zk', ids: [1] })
  expect(find('high zk', 'tag:cobol')).toMatchObject({ terms: 'score:>=7,tag:zk', ids: [3] })
  expect(find('')).toMatchObject({ ids: [1, 3, 2] })
})

test('if nobody matches, the name alone and the chips alone are counted, but not listed', () => {
  expect(find('ada cobol')).toMatchObject({ ids: [], instead: { name: 2, chips: 1, nearMisses: [] } })
  expect(find('poet zk')).toMatchObject({ ids: [], instead: { name: 0, chips: 0, nearMisses: [] } })
})

test('if nobody has a name, names that are similar are counted, among the people of the chips', () => {
  const lovelace = { name: 'ada lovelace', count: 1 }
  expect(find('ada lovelase')).toMatchObject({
    ids: [],
    instead: { name: 0, chips: 0, nearMisses: [lovelace] },
  })
  expect(find('zk lovelase').instead?.nearMisses).toEqual([{ name: 'lovelace', count: 1 }])
  expect(find('poet lovelase').instead).toEqual({ name: 0, chips: 1, nearMisses: [] })
})

const searchFor = (text: string, more: Partial<Parameters<typeof search>[1]> = {}) =>
  search(index, { text, filter: [], sort: { field: 'score', descending: true }, limit: 25, ...more })

test('a search has what a page shows: labels, points, suggestions and the distribution of scores', () => {
  const { labels, distribution, suggestions } = searchFor('co', { filter: parseFilter('tag:zk,score:>1') })
  expect(labels).toEqual({ 'tag zk': 'ZK' })
  expect(distribution).toMatchObject({ total: 3, highest: 9 })
  expect(suggestions).toEqual([{ field: 'tag', value: 'cobol', label: 'cobol', count: 1 }])
  expect(searchFor('', { filter: parseFilter('type:github,points:ens>=0') }).points).toEqual({
    github: [],
    ens: [],
  })
})

test('of the passports that were found otherwise, those that match the filter and the chips are named', () => {
  expect(searchFor('zk', { ids: [3, 2, 99] }).matching).toEqual([3])
  expect(searchFor('nobody', { ids: [3, 2, 99] }).matching).toEqual([3, 2])
})

test('names with words that begin with the text come first, also on later pages', () => {
  const meadows = indexOf([
    person(1, { name: 'meadow', score: 9 }),
    person(2, { name: 'mead', score: 8 }),
    person(3, { name: 'zed ad-lib', score: 2 }),
    person(4, { name: 'adam', score: 3 }),
  ])
  const find = (offset: number) =>
    search(meadows, {
      ...{ text: 'ad', filter: [], offset, limit: 3, ranks: [] },
      sort: { field: 'score', descending: true },
    }).page
  expect(find(0)).toMatchObject({ ids: [4, 3, 1], total: 4, ranking: { ofPage: [3, 4, 1] } })
  expect(find(3)).toMatchObject({ ids: [2], total: 4, ranking: { ofPage: [2] } })
})
