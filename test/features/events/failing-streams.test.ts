import { expect, test } from 'bun:test'
import { createEventStreams } from '../../../src/core/http/event-streams.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const MEBIBYTE = 1024 * 1024

const people = (count: number) => Array.from({ length: count }, (_, id) => record(id))

/** Creates the event streams of a server. `follow` opens a stream that begins after the event `sequence`. */
async function streamsOf(store: Store, stallMilliseconds?: number) {
  const reported: unknown[] = []
  const streams = createEventStreams({
    store,
    source: '/api/v3',
    now: () => NOON,
    limits: { ...(stallMilliseconds && { stallMilliseconds }) },
    onError: (error, request) => void reported.push([String(error), request]),
  })
  const { name, last } = await store.events.log()
  const errors: unknown[] = []
  return {
    ...streams,
    reported,
    errors,
    last,
    follow: (keyId: string, sequence: number, disconnect: () => void = () => undefined) =>
      streams.open(
        { log: name, sequence },
        { filter: {}, keyId, disconnect, onError: (error) => void errors.push(error) },
      ),
  }
}

async function readUntil(body: ReadableStream<Uint8Array>, end: string): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  while (!text.includes(end)) text += decoder.decode((await reader.read()).value)
}

test('a stream that is not read buffers at most 640 KiB and is disconnected, and other streams continue', async () => {
  await using store = await openTestStore('sqlite', people(8000))
  const streams = await streamsOf(store, 300)
  const disconnected: string[] = []
  const unread = streams.follow('unread', 0, () => void disconnected.push('unread'))
  const read = streams.follow('read', 0, () => void disconnected.push('read')).getReader()
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
  expect([streams.count(), streams.errors]).toEqual([0, []])
})

test('if one stream fails in the poll that all streams share, it ends, and other streams still get new events', async () => {
  await using store = await openTestStore('sqlite', people(6000))
  const streams = await streamsOf(store, 200)
  const broken = streams.follow('broken', 0, () => {
    throw new Error('The socket is gone.')
  })
  const good = streams.follow('good', streams.last)
  await until(() => streams.errors.length > 0)
  await saveRecords(store, [record(9000)])
  await readUntil(good, '"subject":"9000"')
  expect(streams.count()).toBe(1)
  await broken.cancel()
  streams.end()
  expect(streams.errors).toEqual([new Error('The socket is gone.')])
})

test('streams stay open while the event log cannot be read, and each outage is reported once', async () => {
  await using store = await openTestStore('sqlite', [record(1)])
  let [reads, isFailing] = [0, false]
  const log = async () => {
    reads++
    if (isFailing) throw new TypeError('a bug')
    return store.events.log()
  }
  const streams = await streamsOf({ ...store, events: { ...store.events, log } })
  const body = streams.follow('a', streams.last)
  const more = async () => {
    const before = reads
    await until(() => reads >= before + 3)
  }
  const expected: unknown[] = []
  for (const id of [2, 3]) {
    isFailing = true
    await more()
    expected.push(['TypeError: a bug', { route: 'v3_events' }])
    expect(streams.reported).toEqual(expected)
    isFailing = false
    await more()
    await saveRecords(store, [record(id)])
  }
  await readUntil(body, '"subject":"3"')
  streams.end()
})
