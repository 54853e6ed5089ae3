import { expect, test } from 'bun:test'
import {
  createByteBudget,
  heldBytes,
  holdBody,
  type Limited,
  releaseBody,
  takeTurn,
} from '../../../src/core/http/byte-budget.ts'
import { createPage, sendPage } from '../../../src/core/http/rendered-page.ts'
import type { FindByKeys } from '../../../src/core/store/rows/passport.ts'
import { everyTurn } from '../../support/every-turn.ts'
import { serveTest } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const nextTurn = () => new Promise(setImmediate)

/** A budget with a fake clock, and requests of its clients. */
function budgetOf(limits: Parameters<typeof createByteBudget>[0] = {}) {
  const clock = { time: 0 }
  const budget = createByteBudget(limits, () => clock.time)
  const stalled: number[] = []
  /** `end` is what happens when a request is sent, or its client leaves. */
  function request(client: string) {
    let isDone = false
    const limited: Limited = {
      budget,
      key: undefined,
      address: () => client,
      request: new Request('http://x'),
      server: {
        requestIP: () => (isDone ? null : { address: client, family: 'IPv4', port: 1 }),
        timeout: (_, seconds) => stalled.push(seconds),
      },
    }
    const end = () => {
      isDone = true
    }
    return { limited, end }
  }
  return { budget, clock, stalled, request }
}

/** Requests that take `milliseconds` each. */
function turnsOf(milliseconds: number) {
  const { clock, request } = budgetOf()
  const events: string[] = []
  return {
    tryTurn: () => takeTurn(request('x').limited),
    events,
    async request(name: string, { limited } = request('x')): Promise<void> {
      await takeTurn(limited)
      clock.time += milliseconds
      events.push(name)
    },
    client: () => request('x'),
  }
}

test('after requests have used a millisecond of an event loop turn, further requests wait for the next turn', async () => {
  const { tryTurn, request, events } = turnsOf(0.6)
  using _turns = everyTurn(() => events.push('-'))
  const first = request('a')
  await first
  await Promise.all([request('b'), ...[...'cde'].map((name) => nextTick(() => request(name)))])
  expect(events.join('').replace(/-+/g, '-')).toMatch(/^ab-c-d-e/)
  // After two turns without requests, a request starts at once.
  await nextTurn()
  await nextTurn()
  expect(tryTurn()).toBeUndefined()
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
  const { tryTurn, request } = turnsOf(5)
  await request('a')
  const waiting = Array.from({ length: 2000 }, () => request('b'))
  expect(() => tryTurn()).toThrow(expect.objectContaining({ code: 'overloaded' }))
  await Promise.all(waiting)
})

test('if a client disconnects while its request waits for the event loop, the request does no work', async () => {
  const { request, client, events } = turnsOf(5)
  const leaver = client()
  await request('a')
  const waiting = [request('gone', leaver), request('b')]
  leaver.end()
  const results = await Promise.allSettled(waiting)
  expect(results).toMatchObject([{ reason: { name: 'ClientGone' } }, { status: 'fulfilled' }])
  expect(events).toEqual(['a', 'b'])
})

const SMALL = 64 * 1024

test('a client may use as many bytes as are free then, so that other clients find some', async () => {
  const { budget, request } = budgetOf({ bytes: 16 * SMALL })
  const takeAll = (client: string) => {
    let taken = 0
    while (takeTurn(request(client).limited, 2 * SMALL) === undefined) taken += 2
    return taken
  }
  expect(['a', 'b', 'c'].map(takeAll)).toEqual([8, 4, 2])
  expect(heldBytes(budget)).toBe(14 * SMALL)
  await nextTurn()
})

test('a request that waits for bytes gets them when another one is sent, and 503 after ten seconds', async () => {
  const { clock, request } = budgetOf({ bytes: 4 * SMALL })
  const [first, second] = [request('a'), request('a')]
  expect(takeTurn(first.limited, 2 * SMALL)).toBeUndefined()
  const waiting = takeTurn(second.limited, 2 * SMALL)
  // Another client does not wait.
  expect(takeTurn(request('b').limited, 2 * SMALL)).toBeUndefined()
  first.end()
  await waiting
  const late = takeTurn(request('a').limited, 2 * SMALL)
  clock.time += 10_001
  expect(late).rejects.toThrow(expect.objectContaining({ code: 'overloaded' }))
  await late?.catch(() => undefined)
})

test('a response counts with its size, one of at most 64 KiB with nothing, and those with the same body once', () => {
  const { budget, request } = budgetOf()
  const [one, other] = [request('a').limited, request('b').limited]
  void takeTurn(one, 8 * SMALL)
  holdBody(one, 2 * SMALL)
  expect(heldBytes(budget)).toBe(2 * SMALL)
  holdBody(one, SMALL)
  expect(heldBytes(budget)).toBe(0)
  const body = {}
  holdBody(one, 3 * SMALL, body)
  holdBody(other, 3 * SMALL, body)
  releaseBody(one, body)
  expect(heldBytes(budget)).toBe(3 * SMALL)
  releaseBody(other, body)
  expect(heldBytes(budget)).toBe(0)
})

test('a cached page waits for bytes; one that is being sent needs none', async () => {
  const { budget, request } = budgetOf({ bytes: 4 * SMALL })
  const first = request('a').limited
  void takeTurn(first, 3 * SMALL)
  const page = createPage('x'.repeat(2 * SMALL), {})
  const send = () => {
    const { limited } = request('a')
    return sendPage(limited.request, { ...limited, headers: new Headers() }, page)
  }
  const events: string[] = []
  const second = send().then(() => events.push('sent'))
  await nextTurn()
  expect(events).toEqual([])
  releaseBody(first)
  await second
  void takeTurn(request('b').limited, 2 * SMALL)
  await send()
  expect(heldBytes(budget)).toBe(4 * SMALL)
})

test('a body that does not fit is an error, but not if its client has left', () => {
  const { request } = budgetOf({ bytes: 4 * SMALL })
  void takeTurn(request('a').limited, 3 * SMALL)
  const second = request('a')
  const hold = () => holdBody(second.limited, 2 * SMALL)
  expect(hold).toThrow(expect.objectContaining({ code: 'overloaded' }))
  second.end()
  expect(hold).toThrow(expect.objectContaining({ name: 'ClientGone' }))
})

test('a body that takes longer than a second to send has ten seconds without progress', async () => {
  const { clock, stalled, request } = budgetOf()
  holdBody(request('a').limited, 2 * SMALL)
  clock.time += 999
  await nextTurn()
  expect(stalled).toEqual([])
  clock.time += 1
  await until(() => stalled.length > 0)
  expect(stalled).toEqual([10])
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
  await Promise.all(Array.from({ length: 20 }, () => server.get('/api/v3/passports/1?include=credentials')))
  expect(new Set(started).size).toBe(20)
})
