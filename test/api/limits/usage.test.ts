import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createFixedWindow, createLimiter } from '../../../src/api/rate-limit.ts'
import { createUsageCounter } from '../../../src/api/usage.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../../../src/domain/api-key.ts'
import { DEFAULT_TIERS } from '../../../src/domain/tier.ts'
import { serveTest } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ada, NOON } from '../../support/store/records.ts'

test('responses are counted by day, key, endpoint and status until the counts are taken', () => {
  let now = Date.UTC(2026, 0, 31, 23, 59)
  const usage = createUsageCounter(() => now)
  usage.count('a', 'list', 200)
  usage.count('a', 'list', 200)
  usage.count('a', 'list', 404)
  usage.count('', 'list', 200)
  now += 60_000
  usage.count('a', 'list', 200)
  const of = (day: string, key: string, status: number, count: number) => ({
    day,
    key,
    endpoint: 'list' as const,
    status,
    count,
  })
  expect(usage.take()).toEqual({
    counts: [
      of('2026-01-31', 'a', 200, 2),
      of('2026-01-31', 'a', 404, 1),
      of('2026-01-31', '', 200, 1),
      of('2026-02-01', 'a', 200, 1),
    ],
    lastUsed: new Map([['a', now]]),
  })
  usage.count('a', 'list', 200)
  expect(usage.take().counts).toEqual([of('2026-02-01', 'a', 200, 1)])
  expect(usage.take().counts).toEqual([])
})

/** `letter` determines the id of the key, `secret` the rest. */
function makeKey(letter: number, secret: number) {
  return formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(secret, 5).fill(letter, 0, 5))
}

test('every V1 response is counted once, by key, endpoint and status', async () => {
  await using store = await openTestStore('sqlite', [ada])
  const { id, key } = makeKey(1, 1)
  const kept = { name: 'n', owner: '', createdAt: 1 }
  const hash = createHash('sha256').update(key).digest()
  await store.keys.create({ ...kept, id, hash, tier: 'few' })
  const now = () => NOON
  const usage = createUsageCounter(now)
  const tiers = [...DEFAULT_TIERS, { name: 'few', requests: 4, window: 10 }]
  const limiter = createLimiter({ tiers, counter: createFixedWindow(now), now, isQuotaUsed: () => false })
  await using server = serveTest(store, { usage, limiter })
  const counted = () =>
    usage.take().counts.map(({ key, endpoint, status, count }) => [key, endpoint, status, count])
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await server.get(path, { headers })).headers

  await ask('/api/v1/passports')
  const etag = (await ask('/api/v1/passports/7')).get('ETag') as string
  await ask('/api/v1/passports/7', { 'If-None-Match': etag })
  await ask('/api/v1/passports/999')
  await ask('/api/v1/passports?page=x')
  await ask('/api/v1/nowhere')
  await ask('/api/v1')
  await ask('/health')
  await ask('/nowhere')
  expect(counted()).toEqual([
    ['', 'list', 200, 1],
    ['', 'passport', 200, 1],
    ['', 'passport', 304, 1],
    ['', 'passport', 404, 1],
    ['', 'list', 400, 1],
    ['', 'other', 404, 2],
  ])

  const CREDENTIALS = '/api/v1/passport_credentials?passport_id=7'
  for (let times = 0; times < 6; times++) await ask(CREDENTIALS, { 'X-API-KEY': key })
  expect(counted()).toEqual([
    [id, 'credentials', 200, 4],
    [id, 'credentials', 429, 2],
  ])

  await ask(CREDENTIALS, { 'X-API-KEY': makeKey(1, 2).key })
  await store.keys.revoke(id, NOON)
  await ask(CREDENTIALS, { 'X-API-KEY': key })
  expect(counted()).toEqual([['', 'credentials', 401, 2]])
  expect(usage.take().lastUsed.size).toBe(0)
})
