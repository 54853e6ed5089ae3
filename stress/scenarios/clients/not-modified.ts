import { join } from 'node:path'
import { serveProcess } from '../../../test/support/cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'

const LIMIT = 100
const REQUESTS = 5 * LIMIT
/** Windows are aligned to the clock. A window of a day rarely ends during a round. */
const TIERS = `anonymous=${LIMIT}/24h, explorer=${LIMIT}/24h, pictures=${LIMIT}/24h`

/** `most`: the most responses other than 429; a page of 250 counts as 10 requests. A 304 of a single passport is free up to ten times the limit. */
const TARGETS = [
  { path: '/api/v3/passports?q=a&limit=250', condition: '*', most: LIMIT / 10 },
  { path: '/api/v3/passports/7', condition: '*', most: LIMIT },
  { path: '/api/v3/passports/7?include=credentials', condition: ' * ', most: LIMIT },
  { path: '/api/v3/passports?limit=250', condition: 'etag', most: LIMIT / 10 },
  { path: '/badge/7.svg', condition: '*', most: LIMIT },
  { path: '/about', condition: 'etag', most: LIMIT },
  { path: '/api/v3/passports/7', condition: 'etag', most: 11 * LIMIT },
]

export const notModified: Scenario = {
  name: 'not-modified',
  title: 'a client that sends If-None-Match without end gets no more than its limit',
  long: 7,
  short: 1,
  async run(times, fail) {
    for (let round = 0; round < times; round++) {
      using folder = tempFolder()
      const env = {
        DATABASE_URL: `sqlite:${join(folder.path, 'a.db')}`,
        TIERS,
        TRUST_PROXY: '127.0.0.1',
      }
      await using server = await serveProcess(['--demo', '--workers', '2'], { cwd: folder.path, env })
      for (const [at, target] of TARGETS.entries()) {
        await flood(server.url, `198.51.${round}.${at}`, target, fail)
      }
    }
    return { count: times, note: `${TARGETS.length} kinds of requests in each round` }
  },
}

async function flood(
  url: string,
  address: string,
  { path, condition, most }: (typeof TARGETS)[number],
  fail: Fail,
): Promise<void> {
  const send = (value: string) =>
    fetch(url + path, { headers: { 'X-Forwarded-For': address, 'If-None-Match': value } })
  const etag = (await send('"none"')).headers.get('ETag') ?? ''
  const value = condition === 'etag' ? etag : condition
  let accepted = 1
  for (let sent = 1; sent < Math.max(REQUESTS, most + LIMIT); sent += 50) {
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(value)))
    for (const { status } of responses) {
      if (status === 304) accepted++
      else if (status !== 429) fail(`${path}: ${status}`)
    }
  }
  if (accepted !== most) fail(`${path} with ${condition}: ${accepted} responses; ${most} are expected`)
}
