import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { MOST_STREAMS, MOST_STREAMS_OF_KEY } from '../../../src/features/events/streams.ts'
import { openEventStream, serveEvents } from '../../support/http/event-stream.ts'
import { makeKey } from '../../support/http/keys.ts'
import { openRequest } from '../../support/http/raw-request.ts'
import { serveRecords } from '../../support/http/server.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { NOON, named, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const people = (count: number, from = 0) => Array.from({ length: count }, (_, at) => record(from + at))

onEveryEngine('a stream of events', (open) => {
  test('a stream has the same events as the pages, followed by new ones', async () => {
    await using server = await serveEvents(await open(people(3)))
    const stream = await server.follow()
    const { headers } = stream.response
    expect(headers.get('Content-Type')).toBe('text/event-stream')
    expect(headers.get('X-Accel-Buffering')).toBe('no')
    expect(headers.get('Content-Encoding')).toBeNull()
    await stream.hasEvents(3)
    await saveRecords(server.store, [named(1, 'Ada', 5), record(9)])
    await stream.hasEvents(6)
    expect(stream.events()).toEqual((await server.list()).body.items)
    for (const { id, event, data } of stream.blocks.filter((block) => block.data)) {
      expect([id, event]).toEqual([data?.id as string, data?.type])
    }
    await stream.close()
    expect(server.errors).toEqual([])
  })

  test('a stream continues after the event in Last-Event-ID, which overrides the `after` parameter', async () => {
    await using server = await serveEvents(await open(people(5)))
    const { items } = (await server.list()).body
    for (const [query, lastId] of [
      [`?after=${items[2].id}`, undefined],
      ['', items[2].id],
      [`?after=${items[0].id}`, items[2].id],
      [`?after=latest`, items[2].id],
    ]) {
      const stream = await server.follow(query, lastId)
      await stream.hasEvents(2)
      expect(stream.events()).toEqual(items.slice(3))
      await stream.close()
    }
  })
})

test('a stream with after=latest has only new events, and streams can be filtered', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(5)))
  const latest = await server.follow('?after=latest')
  const ofOne = await server.follow('?passport=3')
  const changes = await server.follow('?types=passport.changed')
  await saveRecords(server.store, [record(3, { connections: 1 }), record(4, { connections: 1 })])
  await Promise.all([latest.hasEvents(2), ofOne.hasEvents(2), changes.hasEvents(2)])
  expect(latest.events().map(({ subject }) => subject)).toEqual(['3', '4'])
  expect(ofOne.events().map(({ type }) => type)).toEqual(['passport.added', 'passport.changed'])
  expect(changes.events()).toEqual(latest.events())
  await Promise.all([latest, ofOne, changes].map((stream) => stream.close()))
})

test('a keep-alive comment has the latest event id, even if the filter left out all events', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(2)), {
    limits: { commentMilliseconds: 100 },
  })
  const stream = await server.follow('?types=rules.changed')
  await saveRecords(server.store, people(3, 10))
  const { next } = (await server.list()).body
  await until(() => stream.lastId() === next)
  expect(stream.events()).toEqual([])
  await stream.close()
})

test.each([
  ['is revoked', 401, ({ keys }: Store, id: string) => keys.revoke(id, NOON)],
  ['loses its scope', 403, ({ keys }: Store, id: string) => keys.update(id, { scopes: ['read'] })],
])('a stream ends when its key %s', async (_, status, change) => {
  await using server = await serveEvents(await openTestStore('sqlite', people(2)), {
    limits: { commentMilliseconds: 100 },
  })
  const stream = await server.follow()
  await change(server.store, server.keyId)
  await stream.ended
  expect(stream.events()).toHaveLength(2)
  expect((await server.follow()).response.status).toBe(status)
})

test('a malformed Last-Event-ID gets 400, and an expired one gets 410', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(2)))
  const wrong = (await server.follow('', 'x')).response
  expect([wrong.status, wrong.headers.get('Content-Type')]).toEqual([400, 'application/problem+json'])
  expect(await wrong.json()).toMatchObject({ errors: [{ pointer: 'Last-Event-ID' }] })
  const { name } = await server.store.events.log()
  const expired = (await server.follow('', 'abcdef-1')).response
  expect(expired.status).toBe(410)
  expect(await expired.json()).toMatchObject({ code: 'cursor_expired', oldest_cursor: `${name}-0` })
  const ahead = (await server.follow('', `${name}-3`)).response
  expect(await ahead.json()).toMatchObject({ status: 400, errors: [{ pointer: 'Last-Event-ID' }] })
})

test('open streams are limited per key and per server, and closed streams do not count', async () => {
  await using server = await serveRecords({}, people(1))
  const keys: string[] = []
  for (let seed = 1; seed <= MOST_STREAMS / MOST_STREAMS_OF_KEY + 1; seed++)
    keys.push((await makeKey(server.store, seed)).key)
  const [first = '', last = ''] = [keys[0], keys.at(-1)]
  const open = (key: string) => openEventStream(server.url, { key })
  const streams = await Promise.all(Array.from({ length: MOST_STREAMS_OF_KEY }, () => open(first)))
  const refused = (await open(first)).response
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2'])
  expect(await refused.json()).toMatchObject({
    code: 'rate_limited',
    detail: 'A key may have 10 open streams: close one.',
  })
  await streams.pop()?.close()
  await until(() => server.openStreams() === MOST_STREAMS_OF_KEY - 1)
  streams.push(await open(first))
  for (const key of keys.slice(1, -1))
    for (let each = 0; each < MOST_STREAMS_OF_KEY; each++) streams.push(await open(key))
  const full = (await open(last)).response
  expect([full.status, full.headers.get('Retry-After')]).toEqual([503, '2'])
  expect(await full.json()).toMatchObject({ code: 'overloaded' })
  expect(server.openStreams()).toBe(MOST_STREAMS)
  expect(server.requestsInProgress()).toBe(0)
  await Promise.all(streams.map((stream) => stream.close()))
  await until(() => server.openStreams() === 0)
})

test('a stream ignores If-Match and If-None-Match, and a HEAD request opens no stream', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(2)))
  for (const headers of [{ 'If-None-Match': '*' }, { 'If-None-Match': '' }, { 'If-Match': '"x"' }]) {
    const stream = await openEventStream(server.url, { key: server.key, headers })
    expect(stream.response.status).toBe(200)
    await stream.hasEvents(2)
    await stream.close()
  }
  const init = { method: 'HEAD', headers: { 'X-API-KEY': server.key, Accept: 'text/event-stream' } }
  expect((await server.get('/api/v3/events', init)).status).toBe(200)
  await until(() => server.openStreams() === 0)
})

test('when the server stops, streams end after their last event', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(3)))
  const streams = await Promise.all(Array.from({ length: 5 }, () => server.follow()))
  await Promise.all(streams.map((stream) => stream.hasEvents(3)))
  await server.stop()
  await Promise.all(streams.map(({ ended }) => ended))
  expect(streams.map((stream) => stream.events().length)).toEqual([3, 3, 3, 3, 3])
})

test('a stream ends when its event log is replaced by another, and the client gets 410 when it reconnects', async () => {
  await using server = await serveEvents(await openTestStore('sqlite', people(2)))
  const stream = await server.follow()
  await stream.hasEvents(2)
  await execute(server.store.url, `update event_log set name = 'other1', first = last + 1`)
  await stream.ended
  expect((await server.follow('', stream.lastId())).response.status).toBe(410)
})

const MEBIBYTE = 1024 * 1024

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
