import { serveTest } from '../../../test/support/http/server.ts'
import { type EngineName, openTestStore } from '../../../test/support/store/engines.ts'
import { recordHistory, toSeen } from '../../../test/support/store/recorded-history.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'

const STEPS = 60
const ENGINES: readonly EngineName[] = ['sqlite', 'sqlite', 'sqlite', 'postgres']

export const asOf: Scenario = {
  name: 'as-of',
  title: 'a passport as of a random time equals the response of that time',
  long: 10_000,
  short: 100,
  async run(times, fail) {
    let count = 0
    for (let seed = 1; count < times; seed++)
      count += await compare(ENGINES[seed % ENGINES.length] as EngineName, seed, fail)
    return { count }
  },
}

/** Creates a random history and returns the number of compared responses. */
async function compare(engine: EngineName, seed: number, fail: Fail): Promise<number> {
  await using store = await openTestStore(engine)
  const { seen, end, isPurged } = await recordHistory(store, seed, STEPS)
  await using server = serveTest(store, { now: () => end })
  let count = 0
  for (const { time, states } of seen) {
    for (const [id, state] of states) {
      const path = `/api/v3/passports/${id}`
      const current = await server.get(path)
      // A merged passport is skipped, because it has the history of its survivor.
      if (isPurged(id) || current.body.passport_id !== id) continue
      const instant = new Date(time).toISOString()
      const { body, text } = await server.get(`${path}?include=credentials&as_of=${instant}`)
      count++
      if (!Bun.deepEquals(toSeen(body), state))
        fail(`${engine}, seed ${seed}, passport ${id} at ${instant}: ${text}`)
    }
  }
  return count
}
