import { expect, test } from 'bun:test'
import Type from 'typebox'
import { V3 } from '../../../src/core/api/surface.ts'
import { createOpenApi } from '../../../src/core/http/openapi.ts'
import { type Context, type Query, type RouteRequest, route } from '../../../src/core/http/route.ts'
import { makeKey } from '../../support/http/keys.ts'
import { createRequestCounter } from '../../support/http/rate-limits.ts'
import { serveRecords, serveTest } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

const greeting = route(V3, {
  name: 'v3_greeting',
  path: '/api/v3/greetings/:name',
  units: 3,
  id: 'getGreeting',
  summary: 'Greet a person',
  params: { name: { description: 'The name' } },
  query: { language: { description: 'A language' } },
  response: Type.String(),
  handle: ({ params }: RouteRequest<'name'>, { principal }: Context, { language }: Query<'language'>) =>
    Response.json([params.name, language, principal.id]),
})

const RESTRICTED = [
  route(V3, { name: 'v3_write', path: '/api/v3/write', scope: 'write', handle: () => new Response('') }),
  route(V3, { name: 'v3_all', path: '/api/v3/all', scope: 'write:*', handle: () => new Response('') }),
  route(V3, { name: 'v3_follow', path: '/api/v3/follow', scope: 'events', handle: () => new Response('') }),
]

test('a declared route is served, counted and documented, and refuses unknown parameters', async () => {
  await using store = await openTestStore('sqlite')
  const key = await makeKey(store, 1)
  const counter = createRequestCounter(() => NOON)
  await using server = serveTest(store, { routes: [greeting], counter })
  const get = (target: string, headers = {}) => fetch(server.url.origin + target, { headers })
  expect(await (await get('/api/v3/greetings/zoe?language=pt')).json()).toEqual(['zoe', 'pt', ''])
  const named = await (await get('/api/v3/greetings/zo%C3%AB', { 'X-API-KEY': key.key })).json()
  expect(named).toEqual(['zoë', null, key.id])
  const refused = await get('/api/v3/greetings/zoe?langage=pt')
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('language')])
  const counts = counter.take().counts.filter(({ endpoint }) => endpoint === 'v3_greeting')
  expect(counts.map(({ status, count }) => [status, count])).toEqual([
    [200, 3],
    [200, 3],
    [400, 3],
  ])
  const { paths } = createOpenApi('0', [greeting])
  expect(paths['/api/v3/greetings/{name}']).toMatchObject({
    parameters: [{ name: 'name', in: 'path', required: true }],
    get: { operationId: 'getGreeting', parameters: [{ name: 'language' }, {}, {}] },
  })
})

test('a principal without the scope of a route gets 403', async () => {
  await using server = await serveRecords({ routes: RESTRICTED }, [])
  const refused = await fetch(`${server.url.origin}/api/v3/write`)
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    {
      code: 'forbidden',
      title: 'Forbidden',
      detail: 'This request needs a key with the scope write:ISSUER or write:*.',
    },
  ])
  expect((await fetch(`${server.url.origin}/api/v3/follow`)).status).toBe(403)
})

test.each([
  ['write', ['write:github'], 200, ''],
  ['write', ['write:*'], 200, ''],
  ['all', ['write:*'], 200, ''],
  [
    'write',
    ['read'],
    403,
    'write:ISSUER or write:*: the operator can add it with "passportd keys set ID --scope read,write:ISSUER".',
  ],
  [
    'all',
    ['read', 'write:github'],
    403,
    'write:*: the operator can add it with "passportd keys set ID --scope read,write:*".',
  ],
  [
    'follow',
    ['write:github'],
    403,
    'events: the operator can add it with "passportd keys set ID --scope write:github,events".',
  ],
] as const)('a request to %s with a key for %j gets %d', async (path, scopes, expected, advice) => {
  await using server = await serveRecords({ routes: RESTRICTED }, [])
  const { id, init } = await makeKey(server.store, 1, { scopes })
  const response = await fetch(`${server.url.origin}/api/v3/${path}`, init)
  expect(response.status).toBe(expected)
  const text = await response.text()
  const detail = text && JSON.parse(text).detail.replace(id, 'ID')
  expect(detail).toBe(advice && `This request needs a key with the scope ${advice}`)
})
