import { expect, test } from 'bun:test'
import { createEventStreams } from '../../../../src/api/event-streams.ts'
import type { Store } from '../../../../src/store/store.ts'
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
  const streams = createEventStreams({
    store,
    source: '/api/v3',
    now: () => NOON,
    limits,
    onError: () => undefined,
  })
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

test('a log that cannot be read is reported once for each outage, and streams stay open', async () => {
  await using store = await openTestStore('sqlite', [record(1)])
  let [reads, isFailing] = [0, false]
  const log = async () => {
    reads++
    if (isFailing) throw new TypeError('a bug')
    return store.events.log()
  }
  const failing: Store = { ...store, events: { ...store.events, log } }
  const reported: unknown[] = []
  const streams = createEventStreams({
    store: failing,
    source: '/api/v3',
    now: () => NOON,
    onError: (error, request) => void reported.push([String(error), request]),
  })
  const { name, last } = await store.events.log()
  const onError = () => undefined
  const body = streams.open(
    { log: name, sequence: last },
    { filter: {}, keyId: 'a', disconnect: () => undefined, onError },
  )
  const more = async () => {
    const before = reads
    await until(() => reads >= before + 3)
  }
  const expected: unknown[] = []
  for (const id of [2, 3]) {
    isFailing = true
    await more()
    expected.push(['TypeError: a bug', { route: 'v3_events' }])
    expect(reported).toEqual(expected)
    isFailing = false
    await more()
    await saveRecords(store, [record(id)])
  }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes('"subject":"3"')) text += decoder.decode((await reader.read()).value)
  streams.end()
})
