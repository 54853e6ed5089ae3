import { expect, test } from 'bun:test'
import type { WireEvent } from '../../../../src/core/history/event-schema.ts'
import { followEvents, openEventStream } from '../../../support/http/event-stream.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { serveRecords, serveTest } from '../../../support/http/server.ts'
import { databaseMaker, saveRecords } from '../../../support/store/engines.ts'
import { openPostgres } from '../../../support/store/open.ts'
import { record } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const ROUNDS = 15
/** More events than a stream reads at once. */
const PER_ROUND = 40

const write = (round: number) => Array.from({ length: PER_ROUND }, (_, at) => record(round * PER_ROUND + at))

const numbersOf = (events: readonly WireEvent[]) => events.map(({ id }) => Number(id.split('-')[1]))

/** Opens a stream and returns all events from the beginning. */
async function readAll(url: URL | undefined, key: string, count: number) {
  const stream = await openEventStream(url ?? '', { key })
  await stream.hasEvents(count)
  await stream.close()
  return stream.events()
}

const ALL = Array.from({ length: ROUNDS * PER_ROUND }, (_, at) => at + 1)

test('a client that reconnects gets every event once and in order, whenever its connection is cut', async () => {
  await using server = await serveRecords({}, [])
  const { key } = await makeKey(server.store, 1)
  const follower = followEvents(() => server.url, key)
  for (let round = 0; round < ROUNDS; round++) {
    await saveRecords(server.store, write(round))
    // The connection is cut at different moments: before, while and after the events arrive.
    if (round % 3 > 0) await until(() => follower.received().length >= round * PER_ROUND + (round % 20))
    await follower.cut()
  }
  await until(() => follower.received().length >= ALL.length)
  expect(numbersOf(follower.received())).toEqual(ALL)
  expect(follower.connections()).toBeGreaterThan(6)
  expect(await readAll(server.url, key, ALL.length)).toEqual(follower.received())
  await follower.end()
})

test('postgres: a client gets the events of another node, and continues there when its own node stops', async () => {
  await using database = await databaseMaker('postgres')()
  const stores = [await openPostgres(database), await openPostgres(database)] as const
  const { key } = await makeKey(stores[0], 1)
  const servers = stores.map((store) => serveTest(store))
  let node = 0
  const follower = followEvents(() => servers[node]?.url ?? '', key)
  for (let round = 0; round < ROUNDS; round++) await saveRecords(stores[1], write(round))
  await until(() => follower.received().length >= ALL.length)
  node = 1
  await servers[0]?.stop()
  await saveRecords(stores[0], write(ROUNDS))
  await until(() => follower.received().length >= ALL.length + PER_ROUND)
  expect(numbersOf(follower.received())).toEqual([
    ...ALL,
    ...Array.from({ length: PER_ROUND }, (_, at) => ALL.length + at + 1),
  ])
  expect(follower.connections()).toBeGreaterThan(1)
  expect(await readAll(servers[1]?.url, key, ALL.length + PER_ROUND)).toEqual(follower.received())
  await follower.end()
  await servers[1]?.stop()
  await Promise.all(stores.map((store) => store.database.close()))
})
