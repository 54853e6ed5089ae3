import { describe, expect, spyOn, test } from 'bun:test'
import { type Reply, serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { calledIndex, createIndexClient } from '../../support/index/local-index.ts'
import { onEngine, onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ada, credential, NOON, named, record } from '../../support/store/records.ts'

type Get = (target: string) => Promise<Reply>
type Parameters = Record<string, string>

const PATH = '/api/v3/passports'
const pathOf = (parameters: Parameters = {}) => `${PATH}?${new URLSearchParams(parameters)}`
const idsOf = ({ body }: Reply): number[] =>
  body.items.map(({ passport_id }: { passport_id: number }) => passport_id)

/** Follows the links and returns the ids of all pages. `between` runs before each further page. */
async function walk(get: Get, parameters: Parameters, between?: () => Promise<unknown>): Promise<number[]> {
  const ids: number[] = []
  for (let target: string | undefined = pathOf(parameters); target !== undefined; ) {
    const reply: Reply = await get(target)
    expect(reply.status).toBe(200)
    ids.push(...idsOf(reply))
    const link = reply.headers.get('Link')
    expect(link === null).toBe(reply.body.next === null)
    if (link)
      expect(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams.get('cursor')).toBe(
        reply.body.next,
      )
    target = link?.slice(1, link.indexOf('>'))
    if (target !== undefined) await between?.()
  }
  return ids
}

/** Many of these people have equal values. */
const people = Array.from({ length: 60 }, (_, at) => {
  const types = ['github', 'ens', 'lens'].filter((_, bit) => (at >> bit) & 1)
  return record(at * 3 + 1, {
    human: at % 4 === 0,
    profile: {
      displayName: at % 5 === 0 ? `Zoë ${at}` : `Bob ${at}`,
      location: ['', 'Lisbon', 'São Paulo, SP'][at % 3] ?? '',
      tags: at % 7 === 0 ? ['bot', 'Math'] : at % 2 === 0 ? ['math'] : [],
    },
    socials: at % 6 === 0 ? ada.socials : [],
    credentials: types.map((type, score) => credential(type, { type, score })),
    scores: {
      total: (types.length * (types.length - 1)) / 2,
      identity: (types.length * (types.length - 1)) / 2,
    },
  })
})

onEveryEngine('groups', (open) => {
  const server = shareServer(() => open(people), serveTest)

  test('passports are counted by several fields, with the values as they are written', async () => {
    const { body } = await server.get(pathOf({ group_by: 'location,tag', filter: 'human:true', limit: '1' }))
    expect(body).toMatchObject({ total: 15, more_groups: 0 })
    expect(body.groups).toEqual([
      { field: 'location', value: 'lisbon', label: 'Lisbon', count: 5 },
      { field: 'location', value: null, label: null, count: 5 },
      { field: 'location', value: 'sao paulo, sp', label: 'São Paulo, SP', count: 5 },
      { field: 'tag', value: 'math', label: 'Math', count: 15 },
      { field: 'tag', value: 'bot', label: 'bot', count: 3 },
    ])
  })

  test('group_prefix counts the values that begin with a text, ignoring case and accents; a blank one counts all', async () => {
    const read = async (group_prefix: string) =>
      (await server.get(pathOf({ group_by: 'tag,location', group_prefix, limit: '1' }))).body.groups
    expect(await read('SÃO')).toMatchObject([{ field: 'location', value: 'sao paulo, sp', count: 20 }])
    expect(await read('b')).toMatchObject([{ field: 'tag', value: 'bot', count: 9 }])
    expect(await read('x')).toEqual([])
    expect(await read(' ')).toHaveLength(6)
  })
})

onEveryEngine('standings in lists', (open) => {
  test('the standings of a page are of the same call of the index as its list', async () => {
    await using store = await open(people)
    using index = await calledIndex(store)
    const calls = spyOn(index, 'call')
    await using server = serveTest(store, { index })
    await server.get(pathOf({ include: 'standing', limit: '50' }))
    expect(calls).toHaveBeenCalledTimes(1)
  })
})

onEngine('sqlite', 'GET /api/v3/passports', (open) => {
  const server = shareServer(() => open(people), serveTest)

  test('with include, an item of a list equals the response of a single request; select limits the fields of an item', async () => {
    const { body } = await server.get(pathOf({ limit: '2', include: 'credentials' }))
    expect(body.items).toHaveLength(2)
    for (const item of body.items) {
      const single = await server.get(`${PATH}/${item.passport_id}?include=credentials`)
      expect(item).toEqual(single.body)
    }
    const selected = await server.get(pathOf({ limit: '1', filter: 'human:true', select: 'score,standing' }))
    expect(Object.keys(selected.body.items[0])).toEqual(['score', 'standing'])
  })

  test('a list responds 304 to its ETag until a passport changes', async () => {
    await using server = await serveRecords({}, people)
    for (const [at, parameters] of [{}, { filter: 'human:true' }, { q: 'bob' }].entries()) {
      const { headers } = await server.get(pathOf(parameters))
      const init = { headers: { 'If-None-Match': headers.get('ETag') ?? '' } }
      expect((await server.get(pathOf(parameters), init)).status).toBe(304)
      const profile = { displayName: 'Bob' }
      await saveRecords(server.store, [record(1000 + at, { human: true, profile })])
      expect((await server.get(pathOf(parameters), init)).status).toBe(200)
    }
  })

  const WALKS: Parameters[] = [
    { limit: '9' },
    { limit: '9', sort: 'score' },
    { limit: '9', filter: 'human:false' },
    { limit: '9', filter: 'human:false', sort: 'score' },
    { limit: '9', q: 'bob', sort: '-identity_score' },
    { limit: '9', sort: 'passport_id' },
  ]
  test.each(WALKS)(
    'reading all pages during writes neither repeats nor skips an unchanged passport: %j',
    async (parameters) => {
      const start = Array.from({ length: 60 }, (_, id) => named(id, `Bob ${id}`, id % 8))
      await using server = await serveRecords({}, start)
      let round = 0
      const seen = await walk(server.get, parameters, async () => {
        round++
        // Passports with odd ids get other scores, some of them are removed, and new ones are added.
        const others = start.filter(({ id }) => id % 2 === 1)
        await saveRecords(server.store, [
          ...others.map(({ id }) => named(id, `Bob ${id}`, (id * 7 + round * 5) % 9)),
          named(1001 + 2 * round, 'Bob', round % 9),
        ])
        if (round < 5) await server.store.passports.remove(round * 2 - 1, NOON)
      })
      const unchanged = seen.filter((id) => id % 2 === 0)
      expect(round).toBeGreaterThan(3)
      expect(unchanged.toSorted((one, other) => one - other)).toEqual(
        start.map(({ id }) => id).filter((id) => id % 2 === 0),
      )
    },
  )
})

test('a page has 25 passports by default, or up to 250 (50 with include), and its cursor continues the list', async () => {
  const people = Array.from({ length: 120 }, (_, at) => record(at + 1))
  await using server = await serveRecords({}, people)
  const sizes: number[] = []
  let cursor = ''
  do {
    const { body } = await server.get(`/api/v3/passports?limit=50&include=credentials${cursor}`)
    sizes.push(body.items.length)
    cursor = body.next === null ? '' : `&cursor=${body.next}`
  } while (cursor !== '')
  expect(sizes).toEqual([50, 50, 20])
  expect((await server.get('/api/v3/passports')).body.items).toHaveLength(25)
  expect((await server.get('/api/v3/passports?limit=250')).body.items).toHaveLength(120)
})

describe('cursors of other lists', () => {
  const server = shareServer(() => openTestStore('sqlite', people), serveTest)
  const cursorOf = async (parameters: Parameters) =>
    (await server.get(pathOf({ limit: '1', ...parameters }))).body.next as string

  const foreign: [of: Parameters, used: Parameters][] = [
    [{}, { filter: 'human:true' }],
    [{ filter: 'human:true' }, {}],
    [{ filter: 'human:true' }, { filter: 'human:false' }],
    [{}, { sort: 'score' }],
    [{ q: 'bob' }, { q: 'zoe' }],
  ]
  test.each(foreign)('a cursor of the list %j is refused for the list %j', async (of, used) => {
    const { status, text } = await server.get(pathOf({ ...used, cursor: await cursorOf(of) }))
    expect(status).toBe(400)
    expect(JSON.parse(text).errors).toEqual([
      {
        pointer: '?cursor',
        detail:
          'cursor belongs to a list with another q, filter, sort or since: repeat those of the first page, or start without a cursor.',
      },
    ])
  })

  test('a cursor is accepted with another limit, group_by or select, and with another spelling of the same filter', async () => {
    const cursor = await cursorOf({ filter: 'type:ens,score:>0' })
    const more = { limit: '3', group_by: 'type', select: 'score', cursor }
    expect((await server.get(pathOf({ ...more, filter: ' type:ENS, score:>0.0' }))).status).toBe(200)
  })
})

test('until there is an index, lists and /ready get not_ready, and passports are served by id', async () => {
  await using server = await serveRecords({ index: createIndexClient() }, [record(1)])
  for (const path of ['/api/v3/passports', '/api/v3/passports?filter=human:true', '/api/v1/passports']) {
    const { status, headers, text } = await server.get(path)
    expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '2'])
    expect(text).toContain('The index is being built: 0 % done. Try again shortly.')
  }
  expect((await server.get('/ready')).status).toBe(503)
  for (const path of ['/api/v3/passports/1', '/api/v1/passports/1', '/api/v2/passports/1'])
    expect((await server.get(path)).status).toBe(200)
})
