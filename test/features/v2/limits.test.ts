import { expect, test } from 'bun:test'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { sizesOfLargestPage, sumOf } from '../../support/frozen/largest-page.ts'
import { limited } from '../../support/http/servers.ts'

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

const SEARCH = '/api/v2/search/advanced/passport_app__passports?query[identity]=zoe'

test('a search counts as 5 requests, and as one with exactMatch', async () => {
  await using server = await limited('anonymous=100/10s')
  const remaining = async (path: string) => (await server.anonymous(path)).headers.get('RateLimit')
  expect(await remaining(`${SEARCH}&query[exactMatch]=true`)).toBe('"anonymous";r=99;t=10')
  expect(await remaining(SEARCH)).toBe('"anonymous";r=94;t=10')
})

test('a page of 250 passports with the largest accepted fields has at most 12 MB in V2', async () => {
  const sizes = await sizesOfLargestPage((store, ids) => store.data(V2_BODIES).listItems(ids))
  expect(sumOf(sizes)).toBeLessThan(12_000_000)
})
