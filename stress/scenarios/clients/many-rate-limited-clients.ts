import { serveProcess } from '../../../test/support/cli.ts'
import { findCollisions } from '../../../test/support/http/slot-collisions.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Scenario } from '../../run-scenario.ts'

const LIMIT = 20
const WINDOW_SECONDS = 86_400
const VICTIM = '192.0.2.1'
const ATTACKERS = 40

export const rateLimitSlots: Scenario = {
  name: 'rate-limit-slots',
  title: 'a client with many networks tries to spend the limit of another client',
  long: 10,
  short: 1,
  async run(times, fail) {
    const near = findCollisions(`anonymous ${VICTIM}`, WINDOW_SECONDS).slice(0, ATTACKERS)
    for (let round = 0; round < times; round++) {
      using folder = tempFolder()
      const env = { TIERS: `anonymous=${LIMIT}/24h`, TRUST_PROXY: '127.0.0.1' }
      await using server = await serveProcess(['--demo'], { cwd: folder.path, env })
      const send = (address: string) =>
        fetch(`${server.url}/api/v3/passports/7`, { headers: { 'X-Forwarded-For': address } })
      for (const name of near) {
        const address = name.replace('anonymous ', '').replace('::/64', '::1')
        await Promise.all(Array.from({ length: LIMIT + 1 }, () => send(address)))
      }
      const limit = (await send(VICTIM)).headers.get('RateLimit')
      if (!limit?.includes(`r=${LIMIT - 1};`)) fail(`the first request of the victim: ${limit}`)
    }
    return { count: times, note: `${near.length} networks` }
  },
}
