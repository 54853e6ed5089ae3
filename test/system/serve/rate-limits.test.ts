import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEngine } from '../../support/store/engines.ts'

const REQUESTS = 600
const LIMIT = 240
const HOUR = 3_600_000

/** Windows are aligned to the clock. Finds a length in hours whose window does not end within the next hour. */
const WINDOW = [24, 23, 19].find((hours) => Date.now() % (hours * HOUR) < (hours - 1) * HOUR)
const TIERS = { TIERS: `standard=${LIMIT}/${WINDOW}h` }

async function race(url: string, headers: Record<string, string>) {
  const statuses: Record<number, number> = {}
  let sent = 0
  async function send() {
    while (sent++ < REQUESTS) {
      const response = await fetch(`${url}/api/v3/passports?limit=1`, { headers })
      await response.arrayBuffer()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 64 }, send))
  return statuses
}

withEngine('sqlite', 'limits', (makeDatabase) => {
  test.skipIf(process.platform !== 'linux')(
    'if requests are concurrent, all workers together accept exactly as many as the limit',
    async () => {
      await using here = await workplace(makeDatabase)
      const headers = { 'X-API-KEY': (await here.call('keys', 'create', '--name', 'a')).out.trim() }
      await using server = await here.serve(['--workers', '2'], TIERS)
      expect(await race(server.url, headers)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT })
    },
  )
})
