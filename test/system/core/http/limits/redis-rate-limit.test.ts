import { describe, expect, test } from 'bun:test'
import { createRedisRateLimit } from '../../../../../src/core/http/redis-rate-limit.ts'
import { createFixedWindow } from '../../../../support/http/rate-limits.ts'
import { hasPrograms } from '../../../../support/programs.ts'
import { pretendRedis, startRedis } from '../../../../support/redis/redis.ts'
import { NOON } from '../../../../support/store/records.ts'
import { until } from '../../../../support/wait-until.ts'

/** A long timeout for tests that do not depend on it, so that they do not fail on a busy machine. */
const PATIENT = { timeout: 20_000 }

/** Creates a node. Its notices about Redis are in `news`. */
async function node(
  url: string,
  { clock = { time: NOON }, timeouts = PATIENT as { timeout?: number } } = {},
) {
  const news: string[] = []
  const now = () => clock.time
  const counters = await createRedisRateLimit(url, createFixedWindow(now), {
    now,
    ...timeouts,
    onUnavailable: (reason) => news.push(`unavailable: ${reason}`),
    onAvailable: () => news.push('available'),
  })
  return {
    news,
    counters,
    take: async (client: string, limit: number, window = 3600) =>
      (await counters.consume(client, limit, window)).remaining,
    [Symbol.dispose]: () => counters[Symbol.dispose](),
  }
}

test('a node that cannot reach Redis counts requests by itself, and no request waits', async () => {
  using alone = await node('redis://:secret@127.0.0.1:1')
  const consumed = alone.counters.consume('a', 2, 3600)
  expect(Bun.peek.status(consumed)).toBe('fulfilled')
  expect(await consumed).toMatchObject({ remaining: 1 })
  expect([await alone.take('a', 2), await alone.take('a', 2)]).toEqual([0, -1])
  expect(alone.news).toHaveLength(1)
  expect(alone.news[0]).toStartWith('unavailable: ')
  expect(alone.news[0]).not.toContain('secret')
})

test('Redis is treated as unavailable if it is slower than the timeout, and no request waits for it', async () => {
  using slow = pretendRedis(':2\r\n', { delayMilliseconds: 150 })
  using one = await node(slow.url, { timeouts: {} })
  expect(Bun.peek.status(one.counters.consume('a', 3, 3600))).toBe('fulfilled')
  expect(one.news).toEqual(['unavailable: no response within 100 ms'])
})

test.each(['+OK\r\n', '$-1\r\n', '$3\r\nabc\r\n', '*0\r\n'])(
  'the node counts requests by itself if the server is not Redis and responds with %j',
  async (answer) => {
    using other = pretendRedis(answer)
    using one = await node(other.url)
    expect([await one.take('a', 3), await one.take('a', 3)]).toEqual([2, 1])
    expect(one.news).toEqual(['unavailable: Redis sent a response that is not an integer'])
  },
)

describe.if(hasPrograms('redis-server'))('with Redis', () => {
  test('if requests are concurrent, several nodes together accept exactly as many as the limit', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url)
    using other = await node(redis.url)
    const taken = await Promise.all(
      Array.from({ length: 600 }, (_, at) => (at % 2 ? one : other).take('a', 240)),
    )
    expect(taken.filter((remaining) => remaining >= 0)).toHaveLength(240)
    expect([...one.news, ...other.news]).toEqual([])
  })

  test('a rejected request counts neither locally nor in Redis', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url)
    using other = await node(redis.url)
    expect(await one.take('a', 1)).toBe(0)
    for (let turn = 0; turn < 5; turn++) expect(await other.take('a', 1)).toBe(-1)
    expect(await other.take('a', 2)).toBe(0)
  })

  test('a refund is visible to all nodes', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url)
    using other = await node(redis.url)
    for (let turn = 0; turn < 5; turn++) {
      const taken = await one.counters.consume('a', 1, 3600)
      expect(taken.remaining).toBe(0)
      taken.refund()
    }
    // Redis executes the commands of a node in order, so the refund is done after this one.
    await one.take('b', 1)
    expect(await other.take('a', 1)).toBe(0)
  })

  test('a node refunds at most ten times the limit in each window', async () => {
    await using redis = await startRedis()
    const clock = { time: NOON }
    using one = await node(redis.url, { clock })
    using other = await node(redis.url, { clock })
    for (let turn = 0; turn < 20; turn++) {
      const taken = await one.counters.consume('a', 2, 10)
      expect(taken.remaining).toBe(1)
      taken.refund()
    }
    ;(await one.counters.consume('a', 2, 10)).refund()
    await one.take('b', 1000, 10)
    expect([await other.take('a', 2, 10), await other.take('a', 2, 10)]).toEqual([0, -1])
    clock.time += 10_000
    expect(await one.take('a', 2, 10)).toBe(1)
    const lives = (await redis.ask('KEYS', '*')).map((key: string) => redis.ask('PTTL', key))
    expect(Math.min(...(await Promise.all(lives)))).toBeGreaterThan(0)
  })

  test('Redis receives no client address, and every Redis key expires soon after its window', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url)
    await one.take('anonymous 203.0.113.7', 5, 10)
    const keys: string[] = (await redis.ask('KEYS', '*')).filter((key: string) => !key.endsWith('greeting'))
    expect(keys).toHaveLength(1)
    expect(keys[0]).toMatch(/^passportd:limit:[\w-]{22}:\d+$/)
    const life = await redis.ask('PTTL', keys[0] as string)
    expect(life).toBeGreaterThan(0)
    expect(life).toBeLessThanOrEqual(15_000)
  })

  test('nodes count requests separately while Redis is down, and together after its restart', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url)
    using other = await node(redis.url)
    expect([await one.take('a', 3), await other.take('a', 3)]).toEqual([2, 1])
    await redis.kill()
    await until(() => one.news.length === 1 && other.news.length === 1)
    // Each node still counts the requests that it has accepted itself.
    expect(await one.take('a', 3)).toBe(1)
    expect([await one.take('a', 3), await one.take('a', 3)]).toEqual([0, -1])
    expect(await other.take('a', 3)).toBe(1)
    await redis.restart()
    await until(() => one.news.includes('available') && other.news.includes('available'))
    expect(await one.take('a', 3)).toBe(-1)
    expect([await one.take('b', 3), await other.take('b', 3)]).toEqual([2, 1])
    for (const { news } of [one, other])
      expect(news).toEqual([expect.stringContaining('unavailable: '), 'available'])
  })

  test('a hanging Redis delays only the requests in progress, and only up to the timeout', async () => {
    await using redis = await startRedis()
    using one = await node(redis.url, { timeouts: {} })
    // On a busy machine even the first connection may time out.
    await until(() => one.news.length % 2 === 0)
    one.news.length = 0
    redis.freeze()
    expect(await Promise.all([one.take('a', 3), one.take('a', 3)])).toEqual([2, 1])
    expect(Bun.peek.status(one.counters.consume('a', 3, 3600))).toBe('fulfilled')
    expect(one.news).toEqual(['unavailable: no response within 100 ms'])
    redis.thaw()
    await until(() => one.news.includes('available'))
    expect(one.news).toHaveLength(2)
  })

  test('Redis is treated as unavailable if it refuses the password or a write', async () => {
    await using redis = await startRedis({ password: 'secret' })
    using rejected = await node(redis.url.replace('secret', 'guessed'))
    expect(await rejected.take('a', 3)).toBe(2)
    expect(rejected.news).toHaveLength(1)
    expect(rejected.news.join()).not.toContain('guessed')

    using one = await node(redis.url)
    await redis.ask('REPLICAOF', '127.0.0.1', '1')
    expect(await one.take('a', 3)).toBe(2)
    expect(one.news).toHaveLength(1)
    expect(one.news[0]).toStartWith('unavailable: ')
    await redis.ask('REPLICAOF', 'NO', 'ONE')
    await until(() => one.news.includes('available'))
  })
})
