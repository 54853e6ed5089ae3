import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createFixedWindow } from '../../src/api/fixed-window.ts'
import { createLimiter } from '../../src/api/rate-limit.ts'
import { createUsageCounter } from '../../src/api/usage.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../../src/domain/api-key.ts'
import { DEFAULT_TIERS } from '../../src/domain/tier.ts'
import { openTestStore } from '../support/engines.ts'
import { ada, NOON } from '../support/records.ts'
import { serveTest } from '../support/server.ts'

const MIDNIGHT = Date.UTC(2026, 0, 1)

test('a day begins at midnight in UTC', () => {
  let time = MIDNIGHT - 1
  const usage = createUsageCounter(() => time)
  usage.count('k', 'list', 200)
  time = MIDNIGHT
  usage.count('k', 'list', 200)
  usage.count('k', 'list', 200)
  const one = { key: 'k', endpoint: 'list', status: 200 } as const
  expect(usage.take()).toEqual({
    counts: [
      { ...one, day: '2025-12-31', count: 1 },
      { ...one, day: '2026-01-01', count: 2 },
    ],
    lastUsed: new Map([['k', MIDNIGHT]]),
  })
})

test('what was taken away is not counted again', () => {
  const usage = createUsageCounter(() => MIDNIGHT)
  usage.count('k', 'passport', 200)
  usage.take()
  usage.count('', 'passport', 200)
  expect(usage.take()).toEqual({
    counts: [{ day: '2026-01-01', key: '', endpoint: 'passport', status: 200, count: 1 }],
    lastUsed: new Map(),
  })
})

/** Makes the whole key of an id and a letter; those of one id have different secrets. */
function makeKey(letter: number, secret: number) {
  return formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(secret, 5).fill(letter, 0, 5))
}

test('every V1 answer is counted once, under its caller, endpoint and status', async () => {
  await using store = await openTestStore('sqlite', [ada])
  const { id, key } = makeKey(1, 1)
  const kept = { name: 'n', owner: '', createdAt: 1 }
  const hash = createHash('sha256').update(key).digest()
  await store.keys.create({ ...kept, id, hash, tier: 'few' })
  const now = () => NOON
  const usage = createUsageCounter(now)
  const tiers = [...DEFAULT_TIERS, { name: 'few', requests: 4, window: 10 }]
  const limiter = createLimiter({ tiers, counter: createFixedWindow(now), now, isSpent: () => false })
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

  // One that knows the id of a key but not its secret, and one that was a key once, are nobody.
  await ask(CREDENTIALS, { 'X-API-KEY': makeKey(1, 2).key })
  await store.keys.revoke(id, NOON)
  await ask(CREDENTIALS, { 'X-API-KEY': key })
  expect(counted()).toEqual([['', 'credentials', 401, 2]])
  expect(usage.take().lastUsed.size).toBe(0)
})
