import { expect, test } from 'bun:test'
import { createClient, type V3Event } from '../../packages/client/src/index.ts'
import { until } from '../support/wait-until.ts'

const event = (id: number) => ({
  specversion: '1.0',
  id: `k-${id}`,
  source: '/api/v3',
  type: 'passport.removed',
  subject: '7',
  time: '2026-01-02T12:00:00.000Z',
  data: {},
})
const sse = (id: number) => `id: k-${id}\nevent: passport.removed\ndata: ${JSON.stringify(event(id))}\n\n`
const page = (ids: number[], next: number) => Response.json({ items: ids.map(event), next: `k-${next}` })
const STREAM = { headers: { 'Content-Type': 'text/event-stream' } }
/** A stream that stays open after these chunks. */
const stream = (chunks: string[], cancel: () => void = () => undefined) => {
  const encoder = new TextEncoder()
  const start = (controller: ReadableStreamDefaultController) => {
    for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
  }
  return new Response(new ReadableStream({ start, cancel }), STREAM)
}
/** A stream whose connection ends after these chunks. */
const ended = (...chunks: string[]) => new Response(chunks.join(''), STREAM)
const PROBLEM = { type: 'about:blank', title: 'x', detail: 'On purpose.', request_id: 'r', errors: [] }
const problem = (status: number, code: string, more: object = {}, retryAfter = '0') =>
  Response.json(
    { ...PROBLEM, status, code, ...more },
    { status, headers: { 'Retry-After': retryAfter, 'Content-Type': 'application/problem+json' } },
  )
/** The responses before a stream: two empty pages. */
const NO_EVENTS = [() => page([], 1), () => page([], 1)]

/** A server that sends these responses in order. */
function serve(...responses: (() => Response)[]) {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch({ url, headers }) {
      const { pathname, search } = new URL(url)
      requests.push(`${headers.get('Accept')} ${pathname}${search}`)
      return responses[requests.length - 1]?.() ?? problem(404, 'not_found')
    },
  })
  const { v3 } = createClient({ baseUrl: server.url, apiKey: 'k', longestWait: 10 })
  return { v3, requests, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** The ids of the first `count` events, and the error that ended the iteration. */
async function read(events: AsyncIterable<V3Event>, count = Number.POSITIVE_INFINITY) {
  const ids: string[] = []
  try {
    for await (const { id } of events) if (ids.push(id) >= count) break
  } catch (error) {
    return { ids, error }
  }
  return { ids, error: undefined }
}

const PULL = 'application/json /api/v3/events?'
const FOLLOW = 'text/event-stream /api/v3/events?'

test('events() ends at a page without a newer cursor, but not at a page that is empty because of a filter', async () => {
  await using service = serve(
    () => page([1, 2], 2),
    () => page([], 1000),
    () => page([1001], 1001),
    () => page([], 1001),
  )
  const { v3, requests } = service
  const types = ['passport.removed', 'score.changed'] as const
  expect(await read(v3.events({ types, passport: 'github:zoe' }))).toEqual({
    ids: ['k-1', 'k-2', 'k-1001'],
    error: undefined,
  })
  const filter = 'types=passport.removed%2Cscore.changed&passport=github%3Azoe'
  expect(requests).toEqual([
    `${PULL}${filter}&limit=1000`,
    ...['k-2', 'k-1000', 'k-1001'].map((after) => `${PULL}${filter}&after=${after}&limit=1000`),
  ])
})

test('events({ follow }) continues after a lost connection with the next event, without repeating one', async () => {
  const whole = sse(21)
  await using service = serve(
    () => page([1], 1),
    () => page([], 1),
    // The connection ends in the middle of event 4.
    () => ended(': hello\n\n', sse(2), sse(3), sse(4).slice(0, 60)),
    () => problem(503, 'unavailable'),
    () => ended(sse(4)),
    // Events 5 to 20 did not match the filter.
    () => ended(':\nid: k-20\n\n'),
    () => stream([whole.slice(0, 20), whole.slice(20), sse(22).replaceAll('\n', '\r\n')]),
  )
  const { ids } = await read(service.v3.events({ follow: true }), 6)
  expect(ids).toEqual(['k-1', 'k-2', 'k-3', 'k-4', 'k-21', 'k-22'])
  expect(service.requests).toEqual([
    `${PULL}limit=1000`,
    `${PULL}after=k-1&limit=1000`,
    ...['k-1', 'k-3', 'k-3', 'k-4', 'k-20'].map((after) => `${FOLLOW}after=${after}`),
  ])
})

test.each([
  ['rate_limited', () => problem(429, 'rate_limited', {}, '3600'), { retryAfter: 3_600_000 }],
  ['cursor_expired', () => problem(410, 'cursor_expired', { oldest_cursor: 'm-0' }), { oldestCursor: 'm-0' }],
])(
  'events({ follow }) throws %s if the server responds with it after a lost connection',
  async (code, reply, more) => {
    await using service = serve(...NO_EVENTS, () => ended(sse(2)), reply)
    const { ids, error } = await read(service.v3.events({ follow: true }))
    expect(ids).toEqual(['k-2'])
    expect(error).toMatchObject({ code, ...more })
    expect(service.requests).toHaveLength(4)
  },
)

test.each([
  ['an error', () => problem(401, 'unauthorized'), 'unauthorized', 3],
  ['another content type', () => Response.json({}), 'invalid_answer', 3],
  ['an event that is not JSON', () => ended('data: x\n\n'), 'invalid_answer', 3],
  ['a first connection that never succeeds', () => problem(503, 'unavailable'), 'unavailable', 5],
])('events({ follow }) throws after %s', async (_, reply, code, requests) => {
  await using service = serve(...NO_EVENTS, reply, reply, reply, reply)
  expect((await read(service.v3.events({ follow: true }))).error).toMatchObject({ code })
  expect(service.requests).toHaveLength(requests)
})

test('an abort ends events({ follow }) while it waits, and leaving a loop over it closes the connection', async () => {
  let closed = 0
  const waiting = () => stream([sse(2)], () => void closed++)
  await using service = serve(...NO_EVENTS, waiting, ...NO_EVENTS, waiting)
  const controller = new AbortController()
  const reason = new Error('No longer.')
  const events = service.v3.events({ follow: true, signal: controller.signal })
  expect((await events.next()).value?.id).toBe('k-2')
  const next = events.next().catch((error: unknown) => error)
  controller.abort(reason)
  expect(await next).toBe(reason as never)
  expect((await read(service.v3.events({ follow: true }), 1)).ids).toEqual(['k-2'])
  await until(() => closed === 2)
  expect(service.requests).toHaveLength(6)
})
