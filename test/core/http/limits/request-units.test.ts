import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sendBytes } from '../../../support/http/raw-request.ts'
import { LOOKUP, limited, post, rawLookup } from '../../../support/http/servers.ts'
import { NOON } from '../../../support/store/records.ts'

const LIST = '/api/v3/passports'
const ALL = ['credentials', 'standing', 'explanation']
const BEFORE = new Date(NOON).toISOString()

type Server = Awaited<ReturnType<typeof limited>>

const keys = (count: number) => Array<string>(count).fill('7')

describe('units of requests', () => {
  let server: Server
  let key: string
  let remaining = 1_000_000
  beforeAll(async () => {
    server = await limited(`standard=${remaining}/24h`)
    key = await server.makeKey(1, 'standard')
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function unitsOf(path: string, init: RequestInit = { headers: { 'X-API-KEY': key } }) {
    const { headers } = await server.get(path, init)
    const left = Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1])
    const units = remaining - left
    remaining = left
    return units
  }

  test.each([
    [`${LIST}/7`, 1],
    [`${LIST}/7?include=${ALL}`, 1],
    [`${LIST}/7?as_of=${BEFORE}`, 1],
    [`${LIST}/7/diff?from=${BEFORE}`, 2],
    [LIST, 1],
    [`${LIST}?limit=26`, 2],
    [`${LIST}?limit=250`, 10],
    [`${LIST}?limit=50&include=standing`, 2],
    [`${LIST}?limit=50&include=credentials`, 4],
    [`${LIST}?limit=50&select=credentials.score`, 4],
    [`${LIST}?limit=50&include=${ALL}`, 8],
    [`${LIST}?q=ada`, 1],
    [`${LIST}?filter=human:true`, 3],
    [`${LIST}?sort=passport_id`, 3],
    [`${LIST}?group_by=tag`, 5],
    [`${LIST}?group_by=tag,type`, 7],
    [`${LIST}?q=ada&filter=human:true&group_by=tag`, 13],
    ['/api/v3/search?q=ada', 5],
    ['/api/v3/search?q=nobody', 10],
    ['/api/v3/search?q=ada&limit=250&group_by=tag,type', 18],
    ['/api/v3/search?q=ada&limit=50&include=credentials', 8],
    ['/api/v3/scores', 1],
    ['/api/v3/events', 1],
    ['/api/v3/events?limit=1000', 4],
    ['/api/v3/events?limit=1000&include=proof', 8],
    [`${LIST}?nothing=1`, 1],
  ])('GET %s counts as %d requests', async (path, units) => {
    expect(await unitsOf(path)).toBe(units)
  })

  test.each([
    [{}, 4],
    [{ include: ['standing'] }, 4],
    [{ include: ['credentials'] }, 8],
    [{ include: ['explanation'] }, 12],
    [{ include: ALL }, 16],
    [{ as_of: BEFORE }, 16],
    [{ include: ALL, as_of: BEFORE }, 20],
  ])('a lookup of 100 keys with %j counts as %d requests', async (more, units) => {
    const body = JSON.stringify({ keys: keys(100), ...more })
    expect(await unitsOf(LOOKUP, post(key, body))).toBe(units)
  })

  test('each 8 KiB of a v3 request body counts as one more request, even if the body is refused or chunked', async () => {
    const text = (kibibytes: number) => JSON.stringify({ keys: ['x'.repeat(kibibytes * 1024 - 13)] })
    expect(await unitsOf(LOOKUP, post(key, text(7)))).toBe(1)
    expect(await unitsOf(LOOKUP, post(key, text(8)))).toBe(2)
    expect(await unitsOf(LOOKUP, post(key, text(1024)))).toBe(129)
    expect(await unitsOf(LOOKUP, post(key, ']'.repeat(64 * 1024)))).toBe(9)
    const chunked = () => new Blob([text(64)]).stream()
    expect(await unitsOf(LOOKUP, post(key, chunked()))).toBe(9)
  })
})

test.each([
  ['list', 10, `${LIST}?limit=250`, ''],
  ['body', 13, LOOKUP, 'x'.repeat(99_999)],
])(
  'a %s that counts as more requests than the whole limit gets 400, and counts as one request',
  async (_, units, path, sent) => {
    await using server = await limited('small=9/10s')
    const key = await server.makeKey(1, 'small')
    const init = sent === '' ? { headers: { 'X-API-KEY': key } } : post(key, sent)
    const { status, body, headers } = await server.get(path, init)
    expect([status, body.code, body.detail]).toEqual([
      400,
      'invalid_request',
      `This request counts as ${units} requests, but the limit is 9 in 10 s: ask for less.`,
    ])
    expect([headers.get('RateLimit'), headers.get('Retry-After')]).toEqual(['"small";r=8;t=10', null])
  },
)

test('a lookup that exceeds the limit alone gets 400, and a lookup of fewer keys is served', async () => {
  await using server = await limited('small=5/10s')
  const key = await server.makeKey(1, 'small')
  const lookUp = (count: number, include: readonly string[]) =>
    server.get(LOOKUP, post(key, JSON.stringify({ keys: keys(count), include })))
  for (const [include, units, most] of [[[], 40, 125] as const, [ALL, 160, 31] as const]) {
    const refused = await lookUp(1000, include)
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      400,
      'invalid_request',
      `This request counts as ${units} requests, but the limit is 5 in 10 s: ask for fewer keys.`,
    ])
    expect(refused.headers.get('Retry-After')).toBeNull()
    server.clock.time += 10_000
    expect((await lookUp(most, include)).status).toBe(200)
    server.clock.time += 10_000
  }
})

test('if large requests are concurrent, some are served, and the refused requests do not use up the limit', async () => {
  await using server = await limited('small=12/10s')
  const key = await server.makeKey(1, 'small')
  const send = () => server.get(LOOKUP, post(key, JSON.stringify({ keys: keys(100) })))
  const served = ({ status }: { status: number }) => status === 200
  const replies = await Promise.all(Array.from({ length: 12 }, send))
  expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(9)
  // Refused requests return their units late, so sometimes fewer than three concurrent requests are served.
  let count = replies.filter(served).length
  while (served(await send())) count++
  expect(count).toBe(3)
})

test('a large body counts toward the limit before it is received, and a client that exceeds the limit is disconnected', async () => {
  await using server = await limited('small=120/10s')
  const key = await server.makeKey(1, 'small')
  const response = await sendBytes(server.port, rawLookup(key, '{"keys":', { length: 1024 * 1024 }))
  expect(response).toStartWith('HTTP/1.1 400')
  expect(response).toContain('This request counts as 129 requests, but the limit is 120 in 10 s')
})
