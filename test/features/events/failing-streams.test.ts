import { expect, test } from 'bun:test'
import { serveEvents } from '../../support/http/event-stream.ts'
import { openRequest } from '../../support/http/raw-request.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const MEBIBYTE = 1024 * 1024

const people = (count: number) => Array.from({ length: count }, (_, id) => record(id))

test('a stream that is not read is disconnected, holds at most 1 MiB, and other streams continue', async () => {
  await using store = await openTestStore('sqlite', people(30_000))
  await using server = await serveEvents(store, { limits: { stallSeconds: 1 } })
  const head = `GET /api/v3/events HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${server.key}\r\n`
  const unread = openRequest(server.port, `${head}Accept: text/event-stream\r\n\r\n`)
  await until(() => server.heldBytes() > 0, 'held bytes')
  expect(server.heldBytes()).toBeLessThan(MEBIBYTE)
  const { name, last } = await store.events.log()
  const read = await server.follow(`?after=${name}-${last}`)
  await until(() => server.openStreams() === 1, 'the end of the unread stream')
  await saveRecords(store, [record(90_000)])
  await read.hasEvents(1)
  expect([read.events()[0]?.subject, server.heldBytes(), server.errors]).toEqual(['90000', 0, []])
  await read.close()
  unread.destroy()
})

test('a failed read of events ends the stream, and the next one from the same event has them', async () => {
  await using store = await openTestStore('sqlite', people(3))
  let failures = 1
  const list: typeof store.events.list = (page) => {
    if (failures-- > 0) throw new TypeError('a bug')
    return store.events.list(page)
  }
  await using server = await serveEvents({ ...store, events: { ...store.events, list } })
  const failed = await server.follow()
  await failed.ended
  expect([failed.events(), server.errors]).toEqual([[], [new TypeError('a bug')]])
  const next = await server.follow('', failed.lastId())
  await next.hasEvents(3)
  await next.close()
})

test('streams stay open while the event log cannot be read, and each outage is logged once', async () => {
  await using store = await openTestStore('sqlite', [record(1)])
  let [reads, isFailing] = [0, false]
  const log = async () => {
    reads++
    if (isFailing) throw new TypeError('a bug')
    return store.events.log()
  }
  await using server = await serveEvents({ ...store, events: { ...store.events, log } })
  const streams = [await server.follow(), await server.follow()]
  const more = async () => {
    const before = reads
    await until(() => reads >= before + 3)
  }
  for (const outages of [1, 2]) {
    isFailing = true
    await more()
    expect(server.errors).toEqual(Array(outages).fill(new TypeError('a bug')))
    isFailing = false
    await more()
    await saveRecords(store, [record(outages + 1)])
    await Promise.all(streams.map((stream) => stream.hasEvents(outages + 1)))
  }
  await Promise.all(streams.map((stream) => stream.close()))
})
