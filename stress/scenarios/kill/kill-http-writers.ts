import { workplace } from '../../../test/support/cli-sandbox.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import { checkFile, type Sandbox } from '../../support/database-checks.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
const CLIENTS = 3
/** Passports in a request, each with a data point. */
const PASSPORTS = 50
/** The longest time between the start of the writes and the kill, in milliseconds. */
const LONGEST_LIFE = 400

export const killHttpWriters: Scenario = {
  name: 'kill-http-writers',
  title: 'SIGKILL of a server while clients write records over HTTP',
  long: 200,
  short: 2,
  async run(times, fail) {
    const random = createRandom(32)
    let [acknowledged, unknown] = [0, 0]
    for (const engine of ENGINES) {
      const result = await runEngine(engine, times / ENGINES.length, fail, random)
      acknowledged += result.acknowledged
      unknown += result.unknown
    }
    const note = `${acknowledged} acknowledged requests were complete, and ${unknown} others complete or absent`
    return { count: times, note }
  },
}

async function runEngine(engine: EngineName, times: number, fail: Fail, random: Random) {
  await using sandbox = await workplace(databaseMaker(engine))
  const { init } = await sandbox.look((store) =>
    makeKey(store, 1, { tier: 'unlimited', scopes: ['write:*'] }),
  )
  const totals = { acknowledged: 0, unknown: 0 }
  let first = 1
  let checkedEvents = 0
  for (let kill = 1; kill <= times; kill++) {
    await check(fail, `${engine}, kill ${kill}`, async () => {
      const outcomes = await writeAndKill(sandbox, init.headers, first, random)
      checkFile(sandbox)
      checkedEvents = await checkEvents(sandbox, checkedEvents)
      for (const [number, isAcknowledged] of outcomes) {
        await checkRequest(sandbox, number, isAcknowledged)
        totals[isAcknowledged ? 'acknowledged' : 'unknown']++
      }
      first += outcomes.size
    })
  }
  return totals
}

/** Returns for each sent request whether the server acknowledged it. */
async function writeAndKill(
  sandbox: Sandbox,
  key: Record<string, string>,
  first: number,
  random: Random,
): Promise<Map<number, boolean>> {
  await using server = await sandbox.serve()
  const outcomes = new Map<number, boolean>()
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let isKilled = false; !isKilled; ) {
      const number = first + outcomes.size
      outcomes.set(number, false)
      const response = await fetch(new URL('/api/v3/records', server.url), {
        method: 'POST',
        body: bodyOf(number),
        headers: { ...key, 'Content-Type': 'application/x-ndjson' },
      }).catch(() => undefined) // The server was killed.
      if (response?.status === 200) outcomes.set(number, true)
      else isKilled = true
    }
  })
  await Bun.sleep(LONGEST_LIFE * random.next())
  server.child.kill('SIGKILL')
  await server.child.exited
  await Promise.all(clients)
  return outcomes
}

const idsOf = (number: number) => Array.from({ length: PASSPORTS }, (_, at) => number * PASSPORTS + at)

const bodyOf = (number: number) =>
  idsOf(number)
    .flatMap((id) => [
      { passport_id: id, score: 1 },
      { passport: id, type: 'github', value: id },
    ])
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')

async function checkRequest(sandbox: Sandbox, number: number, isAcknowledged: boolean): Promise<void> {
  const [first = 0] = idsOf(number)
  const stored = await sandbox.look((store) => store.records.list(first - 1, PASSPORTS))
  const own = stored.filter(({ id }) => id < first + PASSPORTS)
  const points = own.filter(({ id, dataPoints }) => dataPoints?.[0]?.value.amount === id).length
  if (own.length !== points || (points !== PASSPORTS && (isAcknowledged || points !== 0)))
    throw new Error(
      `Request ${number}, ${isAcknowledged ? '' : 'not '}acknowledged: ${own.length} passports and ${points} data points`,
    )
}

/** Throws if the event log has a gap after `from`. Returns the number of the last event. */
const checkEvents = (sandbox: Sandbox, from: number): Promise<number> =>
  sandbox.look(async ({ events }) => {
    for (let after = from; ; ) {
      const page = await events.list({ after, limit: 1000 })
      for (const { sequence } of page.events)
        if (sequence !== ++after) throw new Error(`Event ${after} is missing before ${sequence}`)
      if (page.events.length === 0) return after
    }
  })
