import { describe, expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { readLines } from '../../support/log-lines.ts'
import { hasPrograms } from '../../support/programs.ts'
import { startRedis } from '../../support/redis/redis.ts'
import { withEngine } from '../../support/store/engines.ts'
import { until } from '../../support/wait-until.ts'

const REQUESTS = 600
const LIMIT = 240
const HOUR = 3_600_000

/** Windows are aligned to the clock. Finds a length in hours whose window does not end within the next hour. */
const WINDOW = [24, 23, 19].find((hours) => Date.now() % (hours * HOUR) < (hours - 1) * HOUR)
const TIERS = { TIERS: `standard=${LIMIT}/${WINDOW}h, anonymous=50/${WINDOW}h` }

async function race(urls: readonly string[], requests: number, headers: Record<string, string> = {}) {
  const statuses: Record<number, number> = {}
  let sent = 0
  async function send() {
    while (sent < requests) {
      const url = urls[sent++ % urls.length] as string
      const response = await fetch(`${url}/api/v1/passports?per_page=1`, { headers })
      await response.arrayBuffer()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 64 }, send))
  return statuses
}

async function makeKey(here: Awaited<ReturnType<typeof workplace>>) {
  return { 'X-API-KEY': (await here.call('keys', 'create', '--name', 'a')).out.trim() }
}

withEngine('sqlite', 'limits', (makeDatabase) => {
  test.skipIf(process.platform !== 'linux')(
    'if requests are concurrent, all workers together accept exactly as many as the limit',
    async () => {
      await using here = await workplace(makeDatabase)
      const headers = await makeKey(here)
      await using server = await here.serve(['--workers', '2'], TIERS)
      expect(await race([server.url], REQUESTS, headers)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT })
    },
  )

  describe.if(hasPrograms('redis-server'))('with Redis', () => {
    test('no request fails while Redis is killed under load, and nodes share the limit after its restart', async () => {
      await using redis = await startRedis({ password: 'secret' })
      await using here = await workplace(makeDatabase)
      const headers = await makeKey(here)
      const env = { ...TIERS, REDIS_URL: redis.url }
      await using one = await here.serve([], env)
      await using other = await here.serve(['--workers', '2'], env)
      const logs = [readLines(one.child.stderr), readLines(other.child.stderr)]
      // If Redis responds late on a busy machine, each node counts only its own requests for a moment.
      const isShared = async () => {
        const fresh = await makeKey(here)
        const seen = [await left(one.url, fresh), await left(other.url, fresh), await left(one.url, fresh)]
        return Bun.deepEquals(seen, [LIMIT - 1, LIMIT - 2, LIMIT - 3])
      }
      await until(isShared)

      const load = race([one.url, other.url], 200, headers)
      await redis.kill()
      expect(await load).toEqual({ 200: 200 })
      // Each node counts only its own requests, so both together accept at most twice the limit.
      expect(await race([one.url, other.url], 200)).toEqual({ 200: 100, 429: 100 })

      await redis.restart()
      const isBack = (log: string[]) => log.filter((line) => line.includes('is available again')).length
      await until(() => isBack(logs[0] as string[]) >= 1 && isBack(logs[1] as string[]) >= 2)
      const spent = await race([one.url, other.url], 100)
      expect(spent).toEqual({ 429: 100 })
      await until(isShared)

      for (const log of logs) {
        expect(log.join()).not.toContain('secret')
        for (const line of log.filter((line) => !line.includes('"level":"info"')))
          expect(JSON.parse(line).message).toMatch(
            /^Redis at 127\.0\.0\.1:\d+ is (unavailable|available again), .*rate limits /,
          )
      }
    })
  })
})

async function left(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/api/v1/passports`, { headers })
  return Number(/r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1])
}
