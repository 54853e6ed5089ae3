import { expect, test } from 'bun:test'
import type { Store } from '../../../../src/core/store/store.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { createRandom } from '../../../support/random.ts'
import { databaseMaker, saveRecords } from '../../../support/store/engines.ts'
import { openPostgres } from '../../../support/store/open.ts'
import { record } from '../../../support/store/records.ts'
import { adoptRules, contracts, hand, scoreNow, scorerOf } from '../../../support/store/scoring.ts'

const NODES = 4
const ROUNDS = 10
const random = createRandom(5)

async function write(store: Store, node: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const id = random.whole(0, 19)
    const passport = record(100 * (node + 1) + round, { connections: round })
    await saveRecords(store, [passport])
    await hand(store, { id }, contracts(round * 100 + node))
    await scoreNow(store)
  }
}

/** Reads the numbers of all events while others write, until `isDone()` is true and no event is left. */
async function follow({ events }: Store, isDone: () => boolean): Promise<number[]> {
  const numbers: number[] = []
  for (let after = 0; ; ) {
    const wasDone = isDone()
    const page = await events.list({ after, limit: 50 })
    numbers.push(...page.events.map(({ sequence }) => sequence))
    after = page.end
    if (wasDone && page.events.length === 0) return numbers
  }
}

test('postgres: the event numbers of concurrent writers have no gap, and a reader sees them in order', async () => {
  await using database = await databaseMaker('postgres')()
  const stores = await Promise.all(Array.from({ length: NODES + 1 }, () => openPostgres(database)))
  const [reader, ...writers] = stores as [Store, ...Store[]]
  await saveRecords(
    reader,
    Array.from({ length: 20 }, (_, id) => record(id)),
  )
  await adoptRules({ store: reader, rules: scorerOf(reader).rules })
  let isDone = false
  const following = follow(reader, () => isDone)
  await Promise.all(writers.map(write))
  for (const store of writers) await scoreNow(store)
  isDone = true
  const numbers = await following
  const { last } = await reader.events.log()
  expect(last).toBeGreaterThan(NODES * ROUNDS)
  expect(numbers).toEqual(Array.from({ length: last }, (_, at) => at + 1))
  await Promise.all(stores.map((store) => store.database.close()))
})

test('postgres: a failed transaction leaves no gap in the event numbers', async () => {
  await using database = await databaseMaker('postgres')()
  await using store = await openPostgres(database)
  await saveRecords(store, [record(1)])
  await using sql = connect(database.url)
  // The transaction fails after it has written its events, when it adds the secret of the passport.
  await sql.unsafe("alter table log_secrets add constraint closed check (secret = '') not valid")
  const failing = saveRecords(store, [record(3)])
  await expect(failing).rejects.toThrow('closed')
  await sql.unsafe('alter table log_secrets drop constraint closed')
  await saveRecords(store, [record(2)])
  const { events } = await store.events.list({ after: 0, limit: 9 })
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2])
})
