import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createFacetIndex, type FacetIndex } from '../../../src/core/index/facet-index.ts'
import type { Condition, FilterField } from '../../../src/core/lists/filter.ts'
import type { GroupField, ListQuery, Position } from '../../../src/core/lists/list-request.ts'
import {
  type Facets,
  groupNaively,
  listNaively,
  someFacets,
  someGroup,
  someQuery,
  toStored,
} from '../../support/store/naive-list.ts'

/** Reads all pages and returns their ids. */
function walk(index: FacetIndex, query: ListQuery, limit: number): number[] {
  const ids: number[] = []
  let after: Position | undefined
  do {
    const page = index.find({ ...query, after, limit })
    ids.push(...page.ids)
    after = page.next
  } while (after)
  return ids
}

function expectList(index: FacetIndex, all: readonly Facets[], query: ListQuery, field?: GroupField): void {
  const expected = listNaively(all, query)
  expect(walk(index, query, 7)).toEqual(expected.map(({ id }) => id))
  const { ids, total, grouped } = index.find({ ...query, groupBy: field, limit: 3 })
  expect({ ids, total }).toEqual({ ids: expected.slice(0, 3).map(({ id }) => id), total: expected.length })
  const later = index.find({ ...query, limit: 4, offset: 2 })
  expect(later.ids).toEqual(expected.slice(2, 6).map(({ id }) => id))
  expect(grouped).toEqual(field && { groups: groupNaively(expected, field), more: 0 })
}

const SCORES = [-1, 0, 1, 3, 9]

/** Compares facets, ranks and counts of scores with those of a naive evaluation. */
function expectCounts(index: FacetIndex, all: readonly Facets[], query: ListQuery): void {
  const facets = [
    { field: 'tag' },
    { field: 'type', values: ['a', 'c d'], among: 'filter' },
    { field: 'location', among: 'all' },
  ] as const
  const found = index.find({
    ...query,
    limit: 3,
    facets,
    ranksOf: SCORES,
    atLeast: { score: SCORES },
  })
  const filtered = listNaively(all, { ...query, keyword: undefined })
  const lists = [listNaively(all, query), filtered, listNaively(all, { filter: [], sort: query.sort })]
  // `first` depends on the order of the index, not on the direction of the list.
  const isReversed = query.sort.descending === (query.sort.field === 'passport_id')
  const expected = facets.map(({ field, ...wanted }, at) =>
    groupNaively(lists[at] as Facets[], field).flatMap(({ value, count }) => {
      if (value === null || ('values' in wanted && !(wanted.values as readonly string[]).includes(value)))
        return []
      const holders = (lists[at] as Facets[]).filter((facets) => facets[field].includes(value))
      return [{ value, count, first: holders.at(isReversed ? -1 : 0)?.id }]
    }),
  )
  expect(found.facets as unknown).toEqual(expected)
  expect(found.atLeast).toEqual({
    score: SCORES.map((score) => all.filter((facets) => facets.score >= score).length),
  })
  const { field } = query.sort
  if (field === 'passport_id') return
  expect(found.ranking?.among).toBe(filtered.length)
  for (const score of [...SCORES, ...found.ids.map((id) => all.find((facets) => facets.id === id)?.[field])])
    expect(found.ranking?.ranks.get(score as number)).toBe(
      1 + filtered.filter((facets) => facets[field] > (score as number)).length,
    )
}

const batch = fc.record({
  added: fc.uniqueArray(someFacets, { maxLength: 30, selector: ({ id }) => id }),
  removed: fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
})

test('the index gives the same lists, totals and groups as a naive evaluation, after any changes', () => {
  fc.assert(
    fc.property(
      fc.array(batch, { minLength: 1, maxLength: 4 }),
      fc.array(someQuery, { minLength: 1, maxLength: 4 }),
      someGroup,
      (batches, queries, field) => {
        const index = createFacetIndex()
        const all = new Map<number, Facets>()
        for (const { added, removed } of batches) {
          index.replace([...new Set([...removed, ...added.map(({ id }) => id)])], added.map(toStored))
          for (const id of removed) all.delete(id)
          for (const facets of added) all.set(facets.id, facets)
          for (const query of queries) {
            expectList(index, [...all.values()], query, field)
            expectCounts(index, [...all.values()], query)
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})

const plain: ListQuery = { filter: [], sort: { field: 'score', descending: true } }
const where = (field: FilterField, conditions: Condition[]) => ({ ...plain, filter: [{ field, conditions }] })
const facets = (id: number, given: Partial<Facets> = {}): Facets => ({
  id,
  name: '',
  score: 0,
  activity_score: 0,
  identity_score: 0,
  skills_score: 0,
  human: ['false'],
  location: [],
  tag: [],
  source: [],
  type: [],
  points: [],
  rules: [],
  ...given,
})

test('an index of many passports finds each passport by its own values and lists of values', () => {
  const all = Array.from({ length: 5000 }, (_, at) =>
    facets(at * 2 ** 33, { name: `n${at}`, score: at / 4, tag: [`t${at}`, `t${at + 1}`, 'all'] }),
  )
  const index = createFacetIndex()
  for (let at = 0; at < all.length; at += 500) index.replace([], all.slice(at, at + 500).map(toStored))
  const tagged = (value: string) => where('tag', [{ not: false, operator: '=', value }])
  for (const value of ['t0', 't1', 't4999', 't5000', 't5001', 'all']) expectList(index, all, tagged(value))
  expectList(index, all, { ...plain, keyword: 'n49' })
  expectList(index, all, { ...plain, keyword: '\0' })
})

test('an index with more than 65,536 values finds each of them, also after an update', () => {
  const scored = (id: number, score = id) => facets(id, { score, points: [`${id} a`, `${id} b`] })
  const index = createFacetIndex()
  index.replace(
    [],
    Array.from({ length: 70_000 }, (_, id) => toStored(scored(id))),
  )
  const find = (operator: '=' | '>=', value: number) =>
    index.find({ ...where('score', [{ not: false, operator, value }]), limit: 2, pointsFor: ['b'] })
  for (const id of [0, 65_535, 65_536, 69_999])
    expect(find('=', id)).toMatchObject({ ids: [id], total: 1, points: new Map([[id, [id]]]) })
  expect(find('>=', 65_530)).toMatchObject({ ids: [69_999, 69_998], total: 4470 })
  index.replace([1, 2], [toStored(scored(2, 80_000))])
  expect(find('>=', 65_530)).toMatchObject({
    ids: [2, 69_999],
    total: 4471,
    points: new Map([
      [2, [2]],
      [69_999, [69_999]],
    ]),
  })
  expect(find('>=', 0).total).toBe(69_999)
})

test('a list can be sorted by the points for a type: the best credential of a passport counts, and equal points are sorted by score', () => {
  const index = createFacetIndex()
  const holder = (id: number, score: number, ...points: string[]) => toStored(facets(id, { score, points }))
  index.replace(
    [],
    [
      holder(1, 90, '5 git', '40 hub git'),
      holder(2, 10, '2.5 git', '30.25 git'),
      holder(3, 20, '5 git'),
      holder(4, 99, '7 ens'),
    ],
  )
  const git = where('type', [{ not: false, operator: '=', value: 'git' }])
  const sort = { field: 'score', descending: true, pointsFor: 'git' } as const
  const request = { ...git, sort, limit: 9, ranksOf: [5, 30], pointsFor: ['git', 'hub git'] }
  const found = index.find(request)
  expect(found.ids).toEqual([2, 1, 3])
  expect([...(found.points ?? [])]).toEqual([
    [2, [30.25, 0]],
    [1, [5, 40]],
    [3, [5, 0]],
  ])
  expect([5, 30, 30.25].map((points) => found.ranking?.ranks.get(points))).toEqual([2, 2, 1])
  expect(index.find({ ...request, limit: 1, offset: 2 }).ids).toEqual([3])
  expect(index.find({ ...git, limit: 9 }).ids).toEqual([1, 3, 2])
  expect(index.find({ ...request, keyword: 'x' }).ids).toEqual([])
})

test('a filter with 32 conditions, negated or not, is evaluated correctly', () => {
  const all = Array.from({ length: 40 }, (_, at) => facets(at, { score: at, tag: [`t${at}`, `t${at % 7}`] }))
  const index = createFacetIndex()
  index.replace([], all.map(toStored))
  const tag = (not: boolean, at: number): Condition => ({ not, operator: '=', value: `t${at}` })
  for (const isNot of [() => false, () => true, (at: number) => at === 31]) {
    const tags = Array.from({ length: 32 }, (_, at) => tag(isNot(at), at))
    expectList(index, all, where('tag', tags))
  }
  const high = Array<Condition>(31).fill({ not: false, operator: '>', value: 38 })
  for (const not of [false, true])
    expectList(index, all, where('score', [...high, { not, operator: '<=', value: 3 }]))
})

test('a grouped list has the hundred largest groups, and the number of groups that are left out', () => {
  const index = createFacetIndex()
  index.replace(
    [],
    Array.from({ length: 300 }, (_, id) =>
      toStored(facets(id, { location: id < 150 ? [`place ${id}`] : ['here'] })),
    ),
  )
  const { grouped } = index.find({ ...plain, groupBy: 'location', limit: 1 })
  expect(grouped?.groups).toHaveLength(100)
  expect(grouped?.groups[0]).toEqual({ value: 'here', count: 150 })
  expect(grouped?.more).toBe(51)
})
