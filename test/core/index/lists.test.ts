import { expect, test } from 'bun:test'
import { topPoints } from '../../../src/core/index/find.ts'
import { isSparse } from '../../../src/core/index/passport-index.ts'
import { parseFilter } from '../../../src/core/lists/filter.ts'
import { parseSort } from '../../../src/core/lists/list-request.ts'
import { saveAndLoad } from '../../support/index/changing-index.ts'
import { change, indexOf, list, people, person } from '../../support/index/people.ts'

const ascending = { field: 'score', descending: false } as const

test('an empty index has empty lists, before and after it is saved', async () => {
  for (const index of [indexOf([]), await saveAndLoad(indexOf([]))]) {
    const request = { groups: [{ field: 'tag' }], ranks: [1] } as const
    const empty = {
      ids: [],
      next: undefined,
      total: 0,
      groups: [{ groups: [], more: 0 }],
      ranking: { among: 0, ofPage: [], ofIds: [1] },
    }
    expect(list(index, request)).toEqual(empty)
    expect(list(index, { ...request, filter: parseFilter('score:>1,tag:!a') })).toEqual(empty)
    expect(list(index, { keyword: 'a', sort: parseSort('-points:a') }).total).toBe(0)
    expect(
      list(index, { sort: { field: 'passport_id', descending: true }, after: { value: 5, id: 5 } }).ids,
    ).toEqual([])
    change(index, [1], [person(2, { name: 'ada' })])
    expect(list(index, { keyword: 'ada' }).ids).toEqual([2])
  }
})

test('values of more and of fewer than one in 32 passports are found, alone and together', () => {
  const all = people(40_000, (id) => ({
    score: id % 1000,
    tag: ['all', `of ${id % 31}`, `in ${id % 33}`, ...(id % 5000 === 0 ? ['rare'] : [])],
  }))
  const index = indexOf(all)
  const expectTotal = (filter: string, matches: (id: number) => boolean) =>
    expect([filter, list(index, { filter: parseFilter(filter) }).total]).toEqual([
      filter,
      all.filter(({ id }) => matches(id)).length,
    ])
  expectTotal('tag:of 3', (id) => id % 31 === 3)
  expectTotal('tag:in 3', (id) => id % 33 === 3)
  expectTotal('tag:of 3,tag:in 3', (id) => id % 31 === 3 && id % 33 === 3)
  expectTotal('tag:of 3,tag:!in 3', (id) => id % 31 === 3 && id % 33 !== 3)
  expectTotal('tag:in 3,tag:!of 3', (id) => id % 33 === 3 && id % 31 !== 3)
  expectTotal('tag:!of 3,tag:!in 3', (id) => id % 31 !== 3 && id % 33 !== 3)
  expectTotal('tag:of 3|in 3|!rare', (id) => id % 31 === 3 || id % 33 === 3 || id % 5000 !== 0)
  expectTotal('tag:rare,tag:all', (id) => id % 5000 === 0)
  expectTotal('score:<10,tag:of 3', (id) => id % 1000 < 10 && id % 31 === 3)
  expectTotal('score:>=10,score:<990,tag:of 3', (id) => id % 1000 >= 10 && id % 1000 < 990 && id % 31 === 3)
  expectTotal('score:=10', (id) => id % 1000 === 10)
  expectTotal('score:>999', () => false)
})

test('names in any script are found by keywords of any length, also across words', () => {
  const names = ['ada', 'a', 'ad', '', '東京 太郎', 'жанна', '🦊', 'o’neil\u{10ffff}', 'ada ad', '\0']
  const index = indexOf(names.map((name, at) => person(at, { name })))
  const find = (keyword: string) =>
    list(index, { keyword, sort: { field: 'passport_id', descending: false } }).ids.map((id) => names[id])
  expect(find('a')).toEqual(['ada', 'a', 'ad', 'ada ad'])
  expect(find('ad')).toEqual(['ada', 'ad', 'ada ad'])
  expect(find('ada')).toEqual(['ada', 'ada ad'])
  expect(find('a a')).toEqual(['ada ad'])
  expect(find('ad\nada')).toEqual(['ada', 'ada ad'])
  expect(find('京')).toEqual(['東京 太郎'])
  expect(find('京 太')).toEqual(['東京 太郎'])
  expect(find('ж')).toEqual(['жанна'])
  expect(find('нн')).toEqual(['жанна'])
  expect(find('🦊')).toEqual(['🦊'])
  expect(find('l\u{10ffff}')).toEqual(['o’neil\u{10ffff}'])
  expect(find('\0')).toEqual(['\0'])
  expect(find('adaa')).toEqual([])
  expect(find('aada')).toEqual([])
})

test('passports with equal scores are in the order of their ids, and 0 equals -0', () => {
  const index = indexOf(
    [3, 1, 2, 4].map((id) => person(id, { score: id === 2 ? -0 : 0, points: [`${id % 2} git`] })),
  )
  expect(list(index).ids).toEqual([1, 2, 3, 4])
  expect(list(index, { sort: ascending }).ids).toEqual([4, 3, 2, 1])
  expect(list(index, { filter: parseFilter('score:=-0') }).total).toBe(4)
  expect(list(index, { filter: parseFilter('score:<0') }).total).toBe(0)
  expect(list(index, { after: { value: -0, id: 2 } }).ids).toEqual([3, 4])
  expect(list(index, { ranks: [2] }).ranking).toEqual({ among: 4, ofPage: [1, 1, 1, 1], ofIds: [1] })
})

test('a list by points has the best credential of each passport, then the score, in both directions', () => {
  const index = indexOf([
    person(1, { score: 90, points: ['5 git', '40 hub git'], type: ['git', 'hub git'] }),
    person(2, { score: 10, points: ['2.5 git', '30.25 git'] }),
    person(3, { score: 20, points: ['5 git'] }),
    person(4, { score: 99, points: ['7 ens'] }),
    person(5, { score: 20, points: ['5 git'] }),
  ])
  const sort = parseSort('-points:git')
  expect(list(index, { sort, ranks: [3, 4] })).toMatchObject({
    ids: [2, 1, 3, 5, 4],
    ranking: { among: 5, ofPage: [1, 2, 2, 2, 5], ofIds: [2, 5] },
  })
  expect(list(index, { sort: { ...sort, descending: false } }).ids).toEqual([4, 5, 3, 1, 2])
  const first = list(index, { sort, limit: 2 })
  expect(first).toMatchObject({ ids: [2, 1], next: { value: 5, score: 90, id: 1 } })
  expect(list(index, { sort, after: first.next }).ids).toEqual([3, 5, 4])
  expect(list(index, { sort, offset: 3 }).ids).toEqual([5, 4])
  expect(list(index, { sort, filter: parseFilter('type:git') }).total).toBe(4)
  expect([1, 2, 4, 99].map((id) => topPoints(index, id, 'git'))).toEqual([5, 30.25, 0, 0])
})

test('groups have the hundred most frequent values as they were first written, and can begin with a prefix', () => {
  const index = indexOf(
    people(300, (id) => ({ location: [id <= 150 ? `Place ${id}` : id === 151 ? 'Łódź' : 'lodz'] })),
  )
  change(index, [], [person(301)])
  const [all] = list(index, { groups: [{ field: 'location' }] }).groups ?? []
  expect(all?.groups).toHaveLength(100)
  expect(all?.groups[0]).toEqual({ field: 'location', value: 'lodz', label: 'Łódź', count: 150 })
  expect(all?.more).toBe(52)
  const [some] = list(index, { groups: [{ field: 'location', prefix: 'place 15' }] }).groups ?? []
  expect(some).toEqual({
    groups: [15, 150].map((at) => ({
      field: 'location' as const,
      value: `place ${at}`,
      label: `Place ${at}`,
      count: 1,
    })),
    more: 0,
  })
  const [empty] =
    list(index, { filter: parseFilter('location:!lodz,location:!"place 1"'), groups: [{ field: 'tag' }] })
      .groups ?? []
  expect(empty).toEqual({ groups: [{ field: 'tag', value: null, label: null, count: 150 }], more: 0 })
})

test('an index is sparse when half of its slots are those of earlier values', () => {
  const all = people(15_000, () => ({}))
  const index = indexOf(all)
  expect(isSparse(index)).toBe(false)
  for (let round = 0; round < 2; round++) change(index, [], all)
  expect(isSparse(index)).toBe(false)
  change(index, [], all)
  expect(isSparse(index)).toBe(true)
  expect(list(index).total).toBe(15_000)
})
