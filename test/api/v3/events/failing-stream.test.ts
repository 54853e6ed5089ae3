import { expect, test } from 'bun:test'
import { createEventStreams } from '../../../../src/api/v3/event-streams.ts'
import { until } from '../../../support/processes.ts'
import { openTestStore, saveRecords } from '../../../support/store/engines.ts'
import { NOON, record } from '../../../support/store/records.ts'

test('a stream that fails in the shared poll ends alone: others get new events', async () => {
  await using store = await openTestStore('sqlite')
  for (let id = 0; id < 6000; id += 1000)
    await saveRecords(
      store,
      Array.from({ length: 1000 }, (_, at) => record(id + at)),
    )
  const limits = { stallMilliseconds: 200 }
  const streams = createEventStreams({ store, source: '/api/v3', now: () => NOON, limits })
  const { name, last } = await store.events.log()
  const errors: unknown[] = []
  const open = (keyId: string, sequence: number, disconnect: () => void) =>
    streams.open(
      { log: name, sequence },
      { filter: {}, keyId, disconnect, onError: (error) => void errors.push(error) },
    )
  const broken = open('broken', 0, () => {
    throw new Error('The socket is gone.')
  })
  const reader = open('good', last, () => undefined).getReader()
  await until(() => errors.length > 0)
  expect(errors).toEqual([new Error('The socket is gone.')])
  await saveRecords(store, [record(9000)])
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes('"subject":"9000"')) text += decoder.decode((await reader.read()).value)
  expect(streams.count()).toBe(1)
  await broken.cancel()
  streams.end()
  expect(errors).toHaveLength(1)
})
