/**
 * Measures how fast `passportd serve` delivers events, to one receiver and to ten. SQLite; the receivers are in this process.
 *
 *   npx bun bench/webhooks.ts [--events 1000] [--rounds 3]
 */
import { join } from 'node:path'
import { openStore } from '../src/core/store/open.ts'
import { SUBSCRIPTIONS } from '../src/features/webhooks/statements.ts'
import type { Subscription } from '../src/features/webhooks/subscription.ts'
import { makeKey } from '../test/support/http/keys.ts'
import { subscribe } from '../test/support/http/webhook-receiver.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { fill } from './data-sets/data-set.ts'
import { createKey } from './support/api-key.ts'
import { figureOf } from './support/figures.ts'
import { readOptions } from './support/options.ts'
import { printResult } from './support/report.ts'
import { startOurs } from './support/servers.ts'

const { events, rounds } = readOptions({ events: 1000, rounds: 3 })
const MANY = 10

const results = new Map(
  [1, MANY].map((receivers) => [receivers, { rate: [] as number[], cpu: [] as number[] }]),
)
for (let round = 0; round < rounds; round++) {
  for (const [receivers, { rate, cpu }] of results) {
    const { seconds, cpuSeconds } = await deliverToMany(receivers)
    rate.push((receivers * events) / seconds)
    cpu.push((cpuSeconds * 1e6) / (receivers * events))
  }
}
const figures = [...results].flatMap(([receivers, { rate, cpu }]) => {
  const name = `webhooks: deliveries to ${receivers} ${receivers === 1 ? 'receiver' : 'receivers'}`
  return [figureOf(name, 'a second', rate), figureOf(`${name}, CPU`, 'µs', cpu)]
})
printResult({ figures, series: [] })
process.exit()

/** Delivers all events to every receiver. The time begins when the subscriptions become active. */
async function deliverToMany(receivers: number): Promise<{ seconds: number; cpuSeconds: number }> {
  using folder = tempFolder()
  const path = join(folder.path, 'webhooks.db')
  const store = await openStore({ engine: 'sqlite', path })
  await createKey(store)
  await fill(store, events)
  let count = 0
  const done = Promise.withResolvers<void>()
  await using receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      await request.arrayBuffer()
      if (++count === receivers * events) done.resolve()
      return new Response(null, { status: 204 })
    },
  })
  const { id: keyId } = await makeKey(store, 1)
  const subscriptions: Subscription[] = []
  for (let at = 0; at < receivers; at++)
    subscriptions.push(await subscribe(store, `${receiver.url.origin}/${at}`, { keyId, state: 'paused' }))
  await using server = await startOurs(`sqlite:${path}`, { WEBHOOK_ALLOW_PRIVATE: 'on' })
  const [begin, before] = [performance.now(), server.cpuSeconds()]
  for (const { id } of subscriptions) await store.data(SUBSCRIPTIONS).change(id, { state: 'active' }, 'cli')
  await done.promise
  const result = { seconds: (performance.now() - begin) / 1000, cpuSeconds: server.cpuSeconds() - before }
  await store.database.close()
  return result
}
