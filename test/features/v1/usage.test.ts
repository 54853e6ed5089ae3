import { expect, test } from 'bun:test'
import { limited } from '../../support/http/limited-server.ts'

/** Each of these requests is sent once. */
const REQUESTS: [target: string, init: RequestInit, route: string, status: number][] = [
  ['/api/v1/passports', {}, 'list', 200],
  ['/api/v1/passports?page=x', {}, 'list', 400],
  ['/api/v1/passports', { method: 'POST' }, 'list', 405],
  ['/api/v1/passports/7', {}, 'passport', 200],
  ['/api/v1/passports/7', { headers: { 'X-API-KEY': 'wrong' } }, 'passport', 401],
  ['/api/v1/passports/8', {}, 'passport', 404],
  ['/api/v1/passport_credentials?passport_id=7', {}, 'credentials', 200],
  ['/api/v1/nothing/here', {}, 'other', 404],
]

test('every response of V1 counts as usage under the name of its route', async () => {
  await using server = await limited('anonymous=100/10s')
  for (const [target, init] of REQUESTS) await server.get(target, init)
  const { counts } = server.usage.take()
  expect(counts.map(({ endpoint, status, count }) => [endpoint, status, count])).toEqual(
    REQUESTS.map(([, , route, status]) => [route, status, 1]),
  )
})
