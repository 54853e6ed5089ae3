import { expect, test } from 'bun:test'
import { createEventStreams } from '../../../../src/api/event-streams.ts'
import { until } from '../../../support/processes.ts'
import { openTestStore, saveRecords } from '../../../support/store/engines.ts'
import { NOON, record } from '../../../support/store/records.ts'

const MEBIBYTE = 1024 * 1024

test('a stream that is not read holds at most 640 KiB and is disconnected; others go on', async () => {
  await using store = await openTestStore('sqlite')
  for (let id = 0; id < 8000; id += 1000)
    await saveRecords(
      store,
      Array.from({ length: 1000 }, (_, at) => record(id + at)),
    )
  const streams = createEventStreams({
    store,
    source: '/api/v3',
    now: () => NOON,
    limits: { stallMilliseconds: 300 },
    onError: () => undefined,
  })
  const { name } = await store.events.log()
  const disconnected: string[] = []
  const open = (keyId: string) =>
    streams.open(
      { log: name, sequence: 0 },
      {
        filter: {},
        keyId,
        disconnect: () => void disconnected.push(keyId),
        onError: (error) => expect(error).toBeUndefined(),
      },
    )
  const unread = open('unread')
  const read = open('read').getReader()
  let bytes = 0
  while (bytes < 1.5 * MEBIBYTE) bytes += (await read.read()).value?.length ?? 0
  await until(() => disconnected.length > 0)
  expect(disconnected).toEqual(['unread'])
  expect(streams.count()).toBe(1)
  let buffered = 0
  for await (const chunk of unread) buffered += chunk.length
  expect(buffered).toBeGreaterThan(MEBIBYTE / 4)
  expect(buffered).toBeLessThan(0.625 * MEBIBYTE)
  streams.end()
  expect(streams.count()).toBe(0)
})
