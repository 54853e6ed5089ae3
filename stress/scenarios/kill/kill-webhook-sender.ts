import { type DatabaseAddress, parseDatabaseAddress } from '../../../src/core/store/database-address.ts'
import { openStore } from '../../../src/core/store/open.ts'
import type { Subscription } from '../../../src/features/webhooks/subscription.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { receiveWebhooks, stateOf, subscribe, verify } from '../../../test/support/http/webhook-receiver.ts'
import { databaseMaker, type EngineName, saveRecords } from '../../../test/support/store/engines.ts'
import { record } from '../../../test/support/store/records.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'

const FAILING_PERCENT = 30
const BATCH = 1000

/** The numbers of events. The short form has one kill for each engine. */
const LONG: Record<EngineName, number> = { sqlite: 100_000, postgres: 10_000 }
const SHORT: Record<EngineName, number> = { sqlite: 400, postgres: 100 }

export const killWebhookSender: Scenario = {
  name: 'kill-webhook-sender',
  title:
    'SIGKILL of the sender of webhooks, whose receiver fails 30 % of the time: each event arrives, in order',
  long: 10,
  short: 1,
  async run(times, fail) {
    const sizes = Object.entries(times > 1 ? LONG : SHORT) as [EngineName, number][]
    const notes: string[] = []
    for (const [engine, events] of sizes)
      notes.push(`${engine}: ${await runEngine(engine, events, times, fail)}`)
    return { count: times * sizes.length, note: notes.join('; ') }
  },
}

async function runEngine(engine: EngineName, events: number, kills: number, fail: Fail): Promise<string> {
  using folder = tempFolder()
  await using database = await databaseMaker(engine)()
  await using store = await openStore(parseDatabaseAddress(database.url) as DatabaseAddress)
  for (let id = 1; id <= events; id += BATCH)
    await saveRecords(
      store,
      Array.from({ length: Math.min(BATCH, events - id + 1) }, (_, at) => record(id + at)),
    )
  const checked = createOrderCheck(fail)
  await using receiver = receiveWebhooks(async (received) => {
    await verify(received, subscription).catch((error) => fail(`${received.id}: ${error.message}`))
    // The receiver keeps no request: 100,000 of them would take too much memory.
    receiver.received.length = 0
    return checked.receive(received.id)
  })
  const { id: keyId } = await makeKey(store, 1)
  const subscription: Subscription = await subscribe(store, receiver.url, { keyId })
  const env = { DATABASE_URL: database.url, WEBHOOK_ALLOW_PRIVATE: 'true' }
  const begin = performance.now()
  for (let killed = 0; killed <= kills; killed++) {
    await using _server = await serveProcess([], { cwd: folder.path, env })
    const target = killed < kills ? Math.ceil(((killed + 1) * events) / (kills + 1)) : events
    while (checked.accepted() < target) {
      const last = checked.accepted()
      await until(() => checked.accepted() > last, `the event after ${last}`)
    }
  }
  const seconds = Math.round((performance.now() - begin) / 1000)
  const { cursor } = await stateOf(store, subscription)
  if (cursor.sequence < events - 1) fail(`the position is ${cursor.sequence}, expected ${events} or one less`)
  return `${events} events in ${seconds} s, ${checked.failed()} failed attempts, ${checked.repeated()} repeated`
}

/** Checks that each accepted event is the next one, or the last one again. */
function createOrderCheck(fail: Fail) {
  let [last, failed, repeated] = [0, 0, 0]
  return {
    accepted: () => last,
    failed: () => failed,
    repeated: () => repeated,
    receive(id: string): Response | undefined {
      const sequence = Number(id.split('-')[1])
      if (sequence !== last && sequence !== last + 1) fail(`event ${sequence} arrived after ${last}`)
      if (Math.random() * 100 < FAILING_PERCENT) {
        failed++
        return new Response(null, { status: 500 })
      }
      if (sequence === last) repeated++
      last = sequence
      return undefined
    },
  }
}
