import { expect, test } from 'bun:test'
import { CHUNK } from '../../../src/core/lists/list-request.ts'
import { mapChunks } from '../../../src/features/v1/chunks.ts'
import { V1_BODIES } from '../../../src/features/v1/statements.ts'
import { NO_PLAN, retiredBy } from '../../support/features/retire.ts'
import { sizesOfLargestPage, sumOf } from '../../support/frozen/largest-page.ts'
import { fields, limited } from '../../support/http/servers.ts'
import { NOON } from '../../support/store/records.ts'

const LIST = '/api/v1/passports'

test('every V1 response after authentication, even an error, counts toward the limit and reports the remaining requests', async () => {
  let plan = NO_PLAN
  await using server = await limited(
    'anonymous=100/10s',
    retiredBy(() => plan),
  )
  const answers = [
    await server.anonymous(LIST),
    await server.anonymous(`${LIST}?page=0`),
    await server.anonymous(`${LIST}/8`),
    await server.get(LIST, { method: 'POST', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
    await server.get(LIST, { method: 'HEAD', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
  ]
  plan = { ...NO_PLAN, brownouts: [{ start: NOON, end: NOON + 60_000 }] }
  answers.push(await server.anonymous(LIST))
  expect(answers.map(fields)).toEqual(
    [200, 400, 404, 405, 200, 410].map((status, index) => [
      status,
      '"anonymous";q=100;w=10',
      `"anonymous";r=${99 - index};t=10`,
      status === 410 ? '60' : null,
    ]),
  )
})

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

test('a page of 250 passports with the largest accepted fields has at most 8 MB in V1', async () => {
  const sizes = await sizesOfLargestPage((store, ids) => store.data(V1_BODIES).listItems(ids))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32_000)
  expect(sumOf(sizes)).toBeLessThan(8_000_000)
})

test('the event loop runs between two chunks', async () => {
  const events: string[] = []
  const ids = Array.from({ length: 3 * CHUNK }, (_, id) => id)
  await mapChunks(ids, (_chunk, at) => {
    events.push(`${at}`)
    setImmediate(() => events.push('other'))
  })
  expect(events).toEqual(['0', 'other', `${CHUNK}`, 'other', `${2 * CHUNK}`])
})
