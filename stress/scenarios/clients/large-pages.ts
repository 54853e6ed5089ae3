import { join } from 'node:path'
import { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { parseExposition } from '../../../test/support/http/prometheus.ts'
import { inventPeople } from '../../../test/support/store/invented-people.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Scenario } from '../../run-scenario.ts'
import { startProbe } from '../../support/start-health-probe.ts'

/** As many as the default limit admits in 10 s without a key. Rounds are shorter, so the limit is turned off. */
const PAGES = 1000
const TIERS = 'anonymous=unlimited'
const SIZES = 13
const COPIES = 8

/** On an idle machine, /health takes about 20 ms. In this scenario, the client and other programs use the CPU, too. */
const LONGEST_HEALTH_MILLISECONDS = 1000

export const largePages: Scenario = {
  name: 'large-pages',
  title: 'one client requests 1,000 different pages of about 250 at once; others wait only a little',
  long: 20,
  short: 1,
  async run(times, fail, exceed) {
    using folder = tempFolder()
    const env = { DATABASE_URL: `sqlite:${await savePeople(folder.path)}`, METRICS_PORT: '0', TIERS }
    await using server = await serveProcess([], { cwd: folder.path, env })
    const metrics = /Metrics +(\S+)/.exec(server.greeting)?.[1] as string
    let slowest = 0
    for (let round = 0; round < times; round++) {
      const probe = await startProbe(server.url)
      const statuses = await Promise.all(
        Array.from({ length: PAGES }, (_, at) => get(server.url, round * PAGES + at)),
      )
      slowest = Math.max(slowest, await probe.end())
      for (const status of new Set(statuses)) if (status !== 200) fail(`a page within the limit: ${status}`)
    }
    if (slowest > LONGEST_HEALTH_MILLISECONDS)
      exceed(`/health took ${slowest} ms; the limit is ${LONGEST_HEALTH_MILLISECONDS} ms`)
    const values = parseExposition(await (await fetch(metrics)).text())
    const delays = (bound: string) =>
      values.value(`passportd_event_loop_delay_seconds_bucket{le="${bound}"}`) ?? 0
    const late = delays('+Inf') - delays('0.025')
    return {
      count: times,
      note: `/health took at most ${slowest} ms; ${late} of ${delays('+Inf')} event-loop delays above 25 ms`,
    }
  },
}

/** Requests pages of several sizes, so that there are more different pages than the server caches. */
async function get(url: string, at: number): Promise<number> {
  const page = 1 + (Math.floor(at / SIZES) % (COPIES * 4))
  const size = 250 - (at % SIZES)
  const response = await fetch(`${url}/api/v1/passports?per_page=${size}&page=${page}`)
  await response.arrayBuffer()
  return response.status
}

async function savePeople(folder: string): Promise<string> {
  const path = join(folder, 'people.db')
  const store = await openSqlite(path)
  const people = inventPeople()
  for (let copy = 0; copy < COPIES; copy++) {
    const records = people.map((person) => ({
      kind: 'passport' as const,
      passport: { ...person, id: person.id + copy * 10_000, mainWallet: '', verifiedWallets: [] },
    }))
    await store.records.save(records, { now: 0, restore: false })
  }
  await store.database.close()
  return path
}
