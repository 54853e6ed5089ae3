import { expect, test } from 'bun:test'
import { limited } from '../../support/http/limited-server.ts'

/** Each of these requests is sent once. */
const REQUESTS: [target: string, init: RequestInit, route: string, status: number][] = [
  ['/api/v2/passports', {}, 'v2_list', 200],
  ['/api/v2/passports/7', {}, 'v2_passport', 200],
  ['/api/v2/passport_credentials?passport_id=7', {}, 'v2_credentials', 200],
  ['/api/v2', {}, 'v2_other', 404],
]

test('every response of V2 counts as usage under the name of its route', async () => {
  await using server = await limited('anonymous=100/10s')
  for (const [target, init] of REQUESTS) await server.get(target, init)
  const { counts } = server.usage.take()
  expect(counts.map(({ endpoint, status, count }) => [endpoint, status, count])).toEqual(
    REQUESTS.map(([, , route, status]) => [route, status, 1]),
  )
})
