import { expect, test } from 'bun:test'
import { createClient, createMemoryCache, PassportError } from '../../packages/client/src/index.ts'
import { makeKey } from '../support/http/keys.ts'
import { failureOf, serveRecords } from '../support/http/server.ts'
import { ADA_WALLET, NOON, named, PEOPLE, record, social } from '../support/store/records.ts'

async function serve(records = PEOPLE) {
  const server = await serveRecords({}, records)
  const { key } = await makeKey(server.store, 1)
  const options = { baseUrl: server.url, apiKey: key }
  return { ...server, options, client: createClient(options) }
}

test('a passport is found by id, wallet and handle, with included parts or selected fields', async () => {
  await using service = await serve()
  const { v3 } = service.client
  const passport = await v3.passport(7)
  expect(passport).toEqual((await service.get('/api/v3/passports/7')).body)
  expect(await v3.passport(ADA_WALLET)).toEqual(passport)
  expect(await v3.passport('lens:ada')).toEqual(passport)
  const { credentials, standing } = await v3.passport('7', { include: ['credentials', 'standing'] })
  expect(credentials.length).toBe(6)
  expect(standing).toMatchObject({ rank: 1 })
  const selected = await v3.passport(7, { select: ['passport_profile.tags', 'score'] })
  expect(selected).toEqual({ score: 42.5, passport_profile: { tags: ['math', 'poetry'] } })
})

test('a v3 error has the code, the invalid values and all other members of the problem response', async () => {
  const twins = [1, 2].map((id) => record(id, { socials: [social('github', 'zoe')] }))
  await using service = await serve([...PEOPLE, ...twins])
  const { v3 } = service.client
  const missing = await failureOf(v3.passport(999))
  expect(missing).toBeInstanceOf(PassportError)
  expect(missing).toMatchObject({ code: 'not_found', status: 404, message: 'There is no passport "999".' })
  expect((missing as PassportError).requestId).toMatch(/^[\w-]{8,}$/)
  expect(await failureOf(v3.passport('github:zoe'))).toMatchObject({
    code: 'ambiguous',
    members: { candidates: [1, 2] },
  })
  expect(await failureOf(v3.page({ filter: 'scor:>1' }))).toMatchObject({
    code: 'invalid_request',
    errors: [
      {
        pointer: '?filter',
        detail: 'filter at character 1: "scor" is not a known field: did you mean score?',
      },
    ],
    members: {},
  })
  expect(await failureOf(v3.lookup([7], { asOf: '2999-01-01' }))).toMatchObject({
    errors: [{ pointer: '#/as_of' }],
  })
  const anonymous = createClient({ baseUrl: service.url })
  expect(await failureOf(anonymous.v3.lookup([7]))).toMatchObject({
    code: 'unauthorized',
    status: 401,
  })
})

test('a lookup of many keys is split into requests of 1,000 and keeps their order', async () => {
  await using service = await serve()
  const bodies: { keys: string[] }[] = []
  const { v3 } = createClient({
    ...service.options,
    fetch: (url, init) => {
      bodies.push(JSON.parse(String(init.body)))
      return fetch(url, init)
    },
  })
  const keys = Array.from({ length: 2345 }, (_, at) =>
    at % 3 === 0 ? 7 : at % 3 === 1 ? `${at}` : 'lens:ada',
  )
  const { items, found } = await v3.lookup(keys, { select: ['passport_id'] })
  expect(bodies.map((body) => body.keys.length)).toEqual([1000, 1000, 345])
  expect(items.map(({ key }) => key)).toEqual(keys.map(String))
  const hits = items.filter((item) => 'passport' in item)
  expect(hits.length).toBe(found)
  expect(hits.every(({ passport }) => [3, 7].includes(passport.passport_id))).toBe(true)
  expect(await v3.lookup([])).toEqual({ items: [], found: 0 })
  expect(bodies).toHaveLength(3)
})

test('v3.list iterates over all pages, and v3.page returns one page with the total and groups', async () => {
  const people = Array.from({ length: 23 }, (_, id) => named(id, `Person ${id}`, id))
  await using service = await serve(people)
  const { v3 } = service.client
  const ids = async (options: Parameters<typeof v3.list>[0]) =>
    (await Array.fromAsync(v3.list(options))).map(({ passport_id }) => passport_id)
  const all = people.map(({ id }) => id)
  expect(await ids({ limit: 5 })).toEqual(all.toReversed())
  expect(await ids({ limit: 7, sort: 'score', select: ['passport_id'] })).toEqual(all)
  expect(await ids({ q: 'person 1', limit: 3 })).toHaveLength(11)
  expect(await ids({ filter: 'score:>=20' })).toEqual([22, 21, 20])
  expect(await ids({ filter: 'score:>900' })).toEqual([])
  // Without a limit, the client asks for the largest page.
  expect(await ids({ include: ['standing'] })).toHaveLength(23)
  expect(await ids({ select: ['passport_id', 'credentials.score'] })).toHaveLength(23)
  expect(await ids({ sort: '-change', since: new Date(NOON) })).toEqual([])
  const page = await v3.page({ limit: 2, groupBy: 'human' })
  expect(page).toMatchObject({ total: 23, groups: [{ label: 'false', count: 23 }], more_groups: 0 })
  const { groups } = await v3.page({ limit: 1, groupBy: ['human', 'source'], groupPrefix: 'fa' })
  expect(groups).toEqual([{ field: 'human', value: 'false', label: 'false', count: 23 }])
  const next = await v3.page({ limit: 2, cursor: page.next as string, select: ['passport_id'] })
  expect(next.items).toEqual([{ passport_id: 20 }, { passport_id: 19 }])
  expect(await failureOf(v3.page({ filter: 'score:>1', cursor: page.next as string }))).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '?cursor' }],
  })
})

test('v3.search reads a text and returns a page, and v3.scores has the distribution', async () => {
  await using service = await serve([...Array(3).keys()].map((id) => named(id, `Person ${id}`, id)))
  const { v3 } = service.client
  const page = await v3.search('person', { limit: 2, select: ['passport_id'], groupBy: 'human' })
  expect(page).toMatchObject({
    items: [{ passport_id: 2 }, { passport_id: 1 }],
    total: 3,
    reading: { name: 'person', chips: [] },
    groups: [{ value: 'false', count: 3 }],
  })
  const { items, next } = await v3.search('person', { limit: 2, cursor: page.next as string })
  expect([items[0]?.passport_id, next]).toEqual([0, null])
  expect(await failureOf(v3.search(''.padEnd(201, 'x')))).toMatchObject({ errors: [{ pointer: '?q' }] })
  expect(await v3.scores()).toMatchObject({ total: 3, highest: 2, median: 1 })
})

test('with a cache, an unchanged passport is revalidated without a body; lookups are never cached', async () => {
  await using service = await serve()
  const statuses: number[] = []
  const { v3 } = createClient({
    ...service.options,
    cache: createMemoryCache(),
    async fetch(url, init) {
      const response = await fetch(url, init)
      statuses.push(response.status)
      return response
    },
  })
  expect(await v3.passport(7)).toEqual(await v3.passport(7))
  await v3.lookup([7])
  await v3.lookup([7])
  await service.store.passports.remove(7, 0)
  expect(await failureOf(v3.passport(7))).toMatchObject({ code: 'not_found' })
  expect(statuses).toEqual([200, 304, 200, 200, 404])
})

/** Calls with invalid arguments, as a program without types makes them. */
type Untyped = Record<string, (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>>

const failureOfCall = (v3: object, call: string, args: unknown[]) => {
  const result = (v3 as Untyped)[call]?.(...args) as Promise<unknown> | AsyncIterable<unknown>
  return failureOf(result instanceof Promise ? result : Array.fromAsync(result))
}

test.each<[string, unknown[], string]>([
  ['passport', [7, { include: ['score'] }], '?include'],
  ['passport', [7, { asOf: '2026-10-01T12:00' }], '?as_of'],
  ['passport', [7, { fields: 'score' }], '?fields'],
  ['list', [{ sort: 'name' }], '?sort'],
  ['page', [{ groupBy: 'score' }], '?group_by'],
  ['page', [{ limit: 251 }], '?limit'],
  ['lookup', [[7], { fields: 'score' }], '#/fields'],
  ['events', [{ types: ['merged'] }], '?types'],
  ['events', [{ kinds: 'x' }], '?kinds'],
])('the service refuses the arguments of v3.%s(%j) and names %s', async (call, args, pointer) => {
  await using service = await serve()
  const { v3 } = createClient(service.options)
  expect(await failureOfCall(v3, call, args)).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer }],
  })
})

test.each(['passport', 'diff', 'rules'])(
  'v3.%s refuses an empty key before it sends a request',
  async (call) => {
    const { v3 } = createClient({
      baseUrl: 'http://127.0.0.1:1',
      fetch: () => Promise.reject(new Error('A request was sent.')),
    })
    for (const empty of ['', ' ', undefined, null])
      expect(await failureOfCall(v3, call, [empty, '2026-10-01'])).toBeInstanceOf(TypeError)
  },
)
