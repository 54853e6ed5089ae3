import { expect, test } from 'bun:test'
import { createHeldBytes } from '../../../src/core/http/backpressure/held-bytes.ts'
import { createLargePages, createTurns } from '../../../src/core/http/backpressure/turns-and-large-pages.ts'
import type { FindByKeys } from '../../../src/core/store/rows/passport.ts'
import { everyTurn } from '../../support/every-turn.ts'
import { serveTest } from '../../support/http/server.ts'
import { expectRefusal } from '../../support/program/errors.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

const nextTurn = () => new Promise(setImmediate)
const ROOM = { isFull: () => false, listen: () => undefined }
const { signal } = new AbortController()

/** Calls `createTurns` with a fake clock, which each request advances by `milliseconds`. */
function turnsOf(milliseconds: number) {
  let time = 0
  const takeTurn = createTurns(() => time)
  const events: string[] = []
  return {
    takeTurn,
    events,
    async request(name: string, client?: { signal: AbortSignal }): Promise<void> {
      await takeTurn(client)
      time += milliseconds
      events.push(name)
    },
  }
}

test('after requests have used 5 ms of an event loop turn, further requests wait for the next turn', async () => {
  const { takeTurn, request, events } = turnsOf(3)
  using _turns = everyTurn(() => events.push('-'))
  const first = request('a')
  await first
  await Promise.all([request('b'), ...[...'cde'].map((name) => nextTick(() => request(name)))])
  expect(events.join('').replace(/-+/g, '-')).toMatch(/^ab-c-d-e/)
  // After two turns without requests, a request starts at once.
  await nextTurn()
  await nextTurn()
  expect(takeTurn()).toBeUndefined()
})

/** Runs `work` after the earlier requests have started. */
const nextTick = async (work: () => Promise<void>) => {
  for (let count = 0; count < 10; count++) await undefined
  return work()
}

test('many short requests start in the same turn of the event loop', async () => {
  const { request, events } = turnsOf(0.1)
  const requests = Array.from({ length: 40 }, (_, at) => request(String(at)))
  for (let count = 0; count < 10; count++) await undefined
  expect(events).toHaveLength(40)
  await Promise.all(requests)
})

test('a request is rejected as overloaded if too many wait for the event loop', async () => {
  const { takeTurn, request } = turnsOf(5)
  await request('a')
  const waiting = Array.from({ length: 2000 }, () => request('b'))
  expect(() => takeTurn()).toThrow(expect.objectContaining({ code: 'overloaded' }))
  await Promise.all(waiting)
})

test('if a client disconnects while its request waits for the event loop, the request does no work', async () => {
  const { request, events } = turnsOf(5)
  const client = new AbortController()
  await request('a')
  const waiting = [request('gone', client), request('b')]
  client.abort()
  const results = await Promise.allSettled(waiting)
  expect(results).toMatchObject([{ reason: { name: 'ClientGone' } }, { status: 'fulfilled' }])
  expect(events).toEqual(['a', 'b'])
})

test('at most four large pages are rendered at the same time, even after one failed', async () => {
  const largePages = createLargePages(ROOM)
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const pages = gates.map(({ promise }, at) =>
    largePages('x', signal, async () => {
      started.push(at)
      await promise
      return at
    }).catch((error: Error) => error.message),
  )
  await nextTurn()
  expect(started).toEqual([0, 1, 2, 3])
  gates[2]?.reject(new Error('failed'))
  expect(await pages[2]).toBe('failed')
  await nextTurn()
  expect(started).toEqual([0, 1, 2, 3, 4])
  for (const { resolve } of gates) resolve()
  expect(await Promise.all(pages)).toEqual([0, 1, 'failed', 3, 4, 5, 6])
  expect(await largePages('x', signal, async () => 'later')).toBe('later')
})

test('a large page is rejected as overloaded if too many pages wait, and pages of disconnected clients are not rendered', async () => {
  const largePages = createLargePages(ROOM)
  const gate = Promise.withResolvers<void>()
  const client = new AbortController()
  const running = Array.from({ length: 4 }, () => largePages('x', signal, () => gate.promise))
  let calls = 0
  const count = async () => ++calls
  const waiting = Array.from({ length: 2000 }, (_, at) =>
    largePages('x', at === 0 ? client.signal : signal, count),
  )
  await expectRefusal(largePages('x', signal, count), 'overloaded')
  client.abort()
  gate.resolve()
  const [gone, ...others] = await Promise.allSettled(waiting)
  expect(gone).toMatchObject({ reason: { name: 'ClientGone' } })
  expect([others.at(-1), calls]).toEqual([{ status: 'fulfilled', value: 1999 }, 1999])
  await Promise.all(running)
})

test('after the unsent bytes of a client are sent, each of its waiting pages is rendered once, at most four at a time', async () => {
  const held = createHeldBytes({ bytesOfClient: 100, recheckMilliseconds: 0, checkMilliseconds: 60_000 })
  const largePages = createLargePages(held)
  let [running, most] = [0, 0]
  const page = (client: string) =>
    largePages(client, signal, async () => {
      most = Math.max(most, ++running)
      await nextTurn()
      running--
    })
  for (let round = 0; round < 8; round++) {
    let isSent = false
    held.hold({ client: 'slow', isDone: () => isSent, limitStall() {} }, 100)
    const waiting = Array.from({ length: 8 }, () => page('slow'))
    isSent = true
    // When the page of the other client ends, the waiting pages resume.
    let ended = 0
    for (const each of [...waiting, page('other')]) void each.then(() => ended++)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(ended).toBe(9)
  }
  expect(most).toBe(4)
})

test('long v3 requests run in separate turns of the event loop', async () => {
  await using store = await openTestStore('sqlite', [record(1)])
  let turns = 0
  const started: number[] = []
  const find: FindByKeys = (...args) => {
    started.push(turns)
    for (const end = performance.now() + 6; performance.now() < end; );
    return store.passports.findByKeys(...args)
  }
  await using server = serveTest({ ...store, passports: { ...store.passports, findByKeys: find } })
  using _turns = everyTurn(() => turns++)
  await Promise.all(Array.from({ length: 20 }, () => server.get('/api/v3/passports/1')))
  expect(new Set(started).size).toBe(20)
})
