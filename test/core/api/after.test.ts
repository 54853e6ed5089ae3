import { expect, test } from 'bun:test'
import type { FindByKeys } from '../../../src/core/store/rows/passport.ts'
import { serveWrites } from '../../support/http/servers.ts'
import { calledIndex } from '../../support/index/local-index.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { importText } from '../../support/store/random-histories.ts'
import { PEOPLE } from '../../support/store/records.ts'

onEveryEngine('the parameter after', (open) => {
  test('each read includes the write whose cursor it names', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator } = server
    for (let id = 50; id < 55; id++) {
      // The reads before the write begin a transaction that does not include the write.
      await operator.get('/api/v3/passports?filter=score:>90')
      const { cursor } = (await operator.write([{ passport_id: id, score: 95 }])).body
      expect((await operator.get(`/api/v3/passports/${id}?after=${cursor}`)).body.score).toBe(95)
      const lists = ['/api/v3/passports?', '/api/v3/passports?filter=score:>90&']
      const [all, filtered] = await Promise.all(lists.map((list) => operator.get(`${list}after=${cursor}`)))
      expect([all?.body.total, filtered?.body.total]).toEqual([PEOPLE.length - 1 + id - 49, id - 49])
      const looked = await operator.post('/api/v3/lookup', JSON.stringify({ keys: [`${id}`], after: cursor }))
      expect(looked.body.found).toBe(1)
    }
  })

  test('a list includes the write whose cursor it names while an import changes its passports', async () => {
    await using store = await open(PEOPLE)
    using index = await calledIndex(store)
    let batches = 0
    const importing: FindByKeys = async (...args) => {
      if (batches++ < 100) await importText(store, `{"passport_id":12,"connections_count":${batches}}\n`)
      return store.passports.findByKeys(...args)
    }
    await using server = await serveWrites(
      { ...store, passports: { ...store.passports, findByKeys: importing } },
      { index },
    )
    const { cursor } = (await server.operator.write([{ passport_id: 50, score: 95 }])).body
    const { body } = await server.operator.get(`/api/v3/passports?limit=9&after=${cursor}`)
    expect(body.items.map((item: { passport_id: number }) => item.passport_id)).toContain(50)
  })
})

test('a read whose first two reads of the log share transactions from before the write waits once more', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const before = await store.events.log()
  let stale = 0
  const log = async () => (stale-- > 0 ? before : store.events.log())
  await using server = await serveWrites({ ...store, events: { ...store.events, log } })
  const { cursor } = (await server.operator.write([{ passport_id: 50, score: 95 }])).body
  stale = 2
  expect((await server.operator.get(`/api/v3/passports/50?after=${cursor}`)).body.score).toBe(95)
})

test('a malformed cursor or one that the log has not reached is a 400, and a cursor of another log is a 410', async () => {
  await using server = await serveWrites(await openTestStore('sqlite', PEOPLE))
  const { operator } = server
  const { name, last } = await server.store.events.log()
  const read = async (after: string) => {
    const { status, body } = await operator.get(`/api/v3/passports/7?after=${after}`)
    return [status, body.code]
  }
  expect(await read('latest')).toEqual([400, 'invalid_request'])
  expect(await read(`other-${last}`)).toEqual([410, 'cursor_expired'])
  expect(await read(`${name}-${last + 1}`)).toEqual([400, 'invalid_request'])
  const looked = await operator.post('/api/v3/lookup', '{"keys":["7"],"after":7}')
  expect([looked.status, looked.body.errors]).toEqual([
    400,
    [{ pointer: '#/after', detail: 'after must be a string, got 7.' }],
  ])
})
