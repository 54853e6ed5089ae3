import { expect, test } from 'bun:test'
import { Compile } from 'typebox/schema'
import { Scores, SearchBody } from '../../../src/features/passports/schemas.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { ada, credential, record } from '../../support/store/records.ts'

const people = [
  record(1, {
    human: true,
    profile: { displayName: 'Ada Lovelace', location: 'São Paulo', tags: ['ZK'] },
    credentials: [credential('a', { type: 'github', score: 9 })],
    scores: { total: 9, skills: 9 },
  }),
  record(2, { profile: { displayName: 'Ada Byron', tags: ['zk', 'poet'] }, scores: { total: 5 } }),
  record(3, { human: true, profile: { displayName: 'Grace', location: 'Lisbon' }, scores: { total: 7 } }),
  record(4, { profile: { displayName: 'Meadow' }, socials: ada.socials, scores: { total: 8 } }),
]

const body = Compile(SearchBody)

onEveryEngine('GET /api/v3/search', (open) => {
  const server = shareServer(() => open(people), serveTest)

  async function find(q: string, more: Record<string, string> = {}) {
    const { status, body: found } = await server.get(`/api/v3/search?${new URLSearchParams({ q, ...more })}`)
    expect([q, status, body.Check(found)]).toEqual([q, 200, true])
    const ids = found.items.map(({ passport_id }: { passport_id: number }) => passport_id)
    return { ...found, ids }
  }

  test('words that are values are chips with their labels, and the others are the name', async () => {
    expect(await find('ada in SAO PAULO or lisbon without poet')).toMatchObject({
      ids: [1],
      total: 1,
      next: null,
      reading: {
        name: 'ada',
        filter: 'location:sao paulo|lisbon,tag:!poet',
        chips: [
          {
            words: 'SAO PAULO or lisbon',
            field: 'location',
            values: [
              { not: false, operator: '=', value: 'sao paulo', label: 'São Paulo', type: null },
              { not: false, operator: '=', value: 'lisbon', label: 'Lisbon', type: null },
            ],
          },
          { words: 'poet', filter: 'tag:!poet', values: [{ not: true, value: 'poet', label: 'poet' }] },
        ],
      },
      instead: null,
    })
    const { reading } = await find('github points:github>=2')
    expect(reading.chips.map(({ values }: { values: object[] }) => values[0])).toEqual([
      { not: false, operator: '=', value: 'github', label: 'GitHub', type: null },
      { not: false, operator: '>=', value: 2, label: '2', type: 'github' },
    ])
  })

  test('the filter of the reading lists the same passports', async () => {
    for (const q of ['zk', 'human lisbon', 'not human zk', 'score:>5 human']) {
      const { ids, reading } = await find(q)
      const { filter } = reading
      const list = await server.get(`/api/v3/passports?${new URLSearchParams({ filter })}`)
      expect(list.body.items.map(({ passport_id }: { passport_id: number }) => passport_id)).toEqual(ids)
    }
  })

  test('names with words that begin with the text come first; filter and sort are those of lists', async () => {
    expect((await find('ad')).ids).toEqual([1, 2, 4])
    expect((await find('ad', { filter: 'human:false' })).ids).toEqual([2, 4])
    expect((await find('ad', { sort: 'score' })).ids).toEqual([2, 1, 4])
    expect((await find(' ')).ids).toEqual([1, 4, 3, 2])
  })

  test('pages follow the cursor and the link, and a cursor belongs to its search', async () => {
    const first = await find('ad', { limit: '2', select: 'passport_id' })
    expect([first.ids, first.total]).toEqual([[1, 2], 3])
    const last = await find('ad', { limit: '2', cursor: first.next })
    expect([last.ids, last.total, last.next]).toEqual([[4], 3, null])
    const { headers } = await server.get('/api/v3/search?q=ad&limit=2')
    expect(headers.get('Link')).toBe(`</api/v3/search?q=ad&limit=2&cursor=${first.next}>; rel="next"`)
    const list = (await server.get('/api/v3/passports?q=ad&limit=1')).body.next
    for (const [path, cursor] of [
      ['search?q=ada', first.next],
      ['search?q=ad', list],
      ['passports?q=ad', first.next],
    ])
      expect((await server.get(`/api/v3/${path}&cursor=${cursor}`)).body.errors).toMatchObject([
        { pointer: '?cursor' },
      ])
  })

  test('a passport that is found by id, wallet or handle is the first item, and is named in matches', async () => {
    const social = ada.socials[0]
    const handle = `${social?.source}:${social?.name}`
    expect(await find('3')).toMatchObject({
      ids: [3],
      matches: [{ passport_id: 3, kind: 'id', text: '3' }],
      instead: null,
    })
    expect(await find(handle)).toMatchObject({
      ids: [4],
      total: 1,
      matches: [{ passport_id: 4, kind: 'handle' }],
    })
  })

  test('if nobody matches, the name and the chips alone are counted, and similar names are near misses', async () => {
    expect(await find('grace zk')).toMatchObject({
      ids: [],
      instead: { name: 1, filter: 2, near_misses: [] },
    })
    expect((await find('lovelase zk')).instead).toEqual({
      ...{ name: 0, filter: 2 },
      near_misses: [{ name: 'lovelace', count: 1 }],
    })
  })

  test('values that begin with the name are suggested, and passports are counted by their values', async () => {
    const { suggestions, groups } = await find('l', { group_by: 'tag,human', group_prefix: 't' })
    expect(suggestions).toEqual([{ field: 'location', value: 'lisbon', label: 'Lisbon', count: 1 }])
    expect(groups).toEqual([{ field: 'human', value: 'true', label: 'true', count: 1 }])
  })

  test('with include=standing, items have their rank among the passports of the chips', async () => {
    const { items } = await find('grace human', { include: 'standing' })
    expect(items).toMatchObject([{ standing: { rank: 3, of: 4, list: { rank: 2, of: 2 } } }])
    const [match] = (await find('4', { include: 'standing', sort: '-points:github' })).items
    expect(match.standing).toMatchObject({
      ...{ rank: 2, parts: { skills: { rank: 2, of: 4 } } },
      list: { rank: 2, of: 4 },
    })
    expect(
      (await find('4', { include: 'standing', sort: 'passport_id' })).items[0].standing,
    ).not.toHaveProperty('list')
  })

  test('GET /api/v3/scores has a histogram of all scores', async () => {
    const { status, body } = await server.get('/api/v3/scores')
    expect([status, Compile(Scores).Check(body)]).toEqual([200, true])
    expect(body).toMatchObject({ total: 4, highest: 9, median: 7 })
    const counts: number[] = body.counts
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4)
    expect(counts[Math.floor(5 / body.step)]).toBe(1)
  })
})
