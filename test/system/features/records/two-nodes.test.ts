import { expect, test } from 'bun:test'
import { serveWrites } from '../../../support/http/servers.ts'
import { owning } from '../../../support/owning.ts'
import { addressOf, openTestStore } from '../../../support/store/engines.ts'
import { openStore } from '../../../support/store/open.ts'

const BATCHES = 20

test('two nodes that write at once on PostgreSQL keep the event log without gaps, and lose no write', async () => {
  await using first = await serveWrites(await openTestStore('postgres'))
  const { url } = first.store
  const second = await openStore(addressOf({ url }))
  await using other = await serveWrites(owning({ ...second, url }, second), {}, 100)
  const { last: begin } = await first.store.events.log()
  const writeAll = async ({ operator }: typeof first, from: number) => {
    for (let id = from; id < from + BATCHES; id++) {
      const records = [{ passport_id: id }, { passport_id: id + 1000, score: 1 }]
      expect((await operator.write(records)).body).toMatchObject({ added: 2 })
    }
  }
  await Promise.all([writeAll(first, 1), writeAll(other, 101)])
  const { events, log } = await first.store.events.list({ after: begin, limit: 1000 })
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => begin + 1 + at))
  expect(events.length).toBe(4 * BATCHES)
  expect(log.last).toBe(begin + events.length)
  expect(await first.store.passports.count()).toBe(4 * BATCHES)
})
