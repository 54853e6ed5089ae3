import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHeadReader } from '../../src/api/wire/head.ts'
import { createHoldings } from '../../src/api/wire/holdings.ts'
import { mostConnections } from '../../src/api/wire/most-connections.ts'
import { headOf } from '../../src/api/wire/reply.ts'
import { serveHttp, type WireOptions } from '../../src/api/wire/server.ts'

const PAGE = new Uint8Array(20_000_000).fill(65)

function serve(options: Partial<WireOptions> = {}) {
  const server = serveHttp({
    host: '127.0.0.1',
    port: 0,
    handle: ({ target }) => ({ head: headOf(200, {}), lines: '', body: target === '/page' ? PAGE : 'hello' }),
    refuse: ({ message }) => ({ head: headOf(400, {}), lines: '', body: message }),
    now: () => Date.UTC(2026, 0, 1),
    ...options,
  })
  return { ...server, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A caller that need not be answered well. */
function dial(port: number, text = '') {
  const socket = connect(port, '127.0.0.1')
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  socket.on('error', () => undefined)
  if (text !== '') socket.write(text)
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  return { socket, received: () => received, closed }
}

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2)
}

const LONG = 60_000
const PATIENT = { idle: LONG, head: LONG, stall: LONG, linger: LONG }

test('where slow callers hold too much, the one goes that has taken nothing for longest', async () => {
  await using server = serve({ patience: PATIENT, mostHeld: 30_000_000 })
  const ended: number[] = []
  const readers: Socket[] = []
  for (const name of [1, 2, 3]) {
    const { socket, closed, received } = dial(server.port, get('/page'))
    readers.push(socket)
    closed.then(() => ended.push(name))
    socket.once('data', () => socket.pause())
    await until(() => received() > 0)
    await sleep(20)
  }
  // Who is gone is told so only when it reads again.
  for (const reader of readers) reader.resume()
  await until(() => ended.length === 2)
  expect(ended.sort()).toEqual([1, 2])
})

test('an answer larger than all may hold together goes to a caller who is slow alone', async () => {
  await using server = serve({ patience: PATIENT, mostHeld: 1_000_000 })
  const { socket, received } = dial(server.port, get('/page'))
  await until(() => received() > 0)
  socket.pause()
  await sleep(20)
  socket.resume()
  await until(() => received() > PAGE.length)
})

/** Holders that are told by name when they have to let go. */
function holding(most: number) {
  const gone: string[] = []
  const holdings = createHoldings(most)
  const holder = (name: string) => ({
    abort() {
      gone.push(name)
      holdings.set(this, 0)
    },
  })
  return { gone, holdings, holder }
}

test('an answer larger than all may hold together costs nobody else the connection, nor they its caller', () => {
  const { gone, holdings, holder } = holding(100)
  const [small, giant, other, next] = [holder('small'), holder('giant'), holder('other'), holder('next')]
  holdings.set(small, 10)
  for (const bytes of [1000, 500, 95]) holdings.set(giant, bytes)
  holdings.set(other, 80)
  expect(gone).toEqual([])
  holdings.set(next, 2000)
  expect(gone).toEqual(['giant'])
  holdings.set(other, 95)
  expect(gone).toEqual(['giant', 'small'])
})

test('what comes of heads counts too', async () => {
  await using server = serve({ patience: PATIENT, mostHeld: 100_000 })
  const begun = `GET / HTTP/1.1\r\nA: ${'x'.repeat(40_000)}`
  const first = dial(server.port, begun)
  await sleep(20)
  const others = [dial(server.port, begun), dial(server.port, begun)]
  await first.closed
  await sleep(20)
  expect(others.map(({ socket }) => socket.closed)).toEqual([false, false])
})

test('who sends more keeps its place among the slow, who takes something gets a better one', () => {
  const { gone, holdings, holder } = holding(100)
  const [sender, reader, other] = [holder('sender'), holder('reader'), holder('other')]
  holdings.set(reader, 40)
  holdings.set(sender, 10)
  holdings.set(sender, 20)
  holdings.set(reader, 30)
  holdings.set(other, 60)
  expect(gone).toEqual(['sender'])
  holdings.set(other, 80)
  expect(gone).toEqual(['sender', 'reader'])
})

test('a body must come in time, however it drips', async () => {
  await using server = serve({ patience: { ...PATIENT, head: 100 } })
  const { socket, closed } = dial(
    server.port,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n',
  )
  const drip = setInterval(() => socket.write('x'), 5)
  await closed
  clearInterval(drip)
})

test('one whose body came in time may rest as others do', async () => {
  await using server = serve({ patience: { ...PATIENT, head: 100 } })
  const { socket, received } = dial(server.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n')
  socket.write('ab')
  await sleep(700)
  const before = received()
  socket.write(get('/'))
  await until(() => received() > before)
})

test('one that asks for much at once lets others have their turn, and gets all of it', async () => {
  const order: string[] = []
  await using server = serve({
    handle({ target }) {
      if (order.push(target) === 2) other.socket.write(get('/other'))
      return { head: headOf(200, {}), lines: '', body: new Uint8Array(8000) }
    },
  })
  const other = dial(server.port, get('/first'))
  await until(() => other.received() > 0)
  const greedy = dial(server.port)
  greedy.socket.end(get('/much').repeat(400))
  await greedy.closed
  expect(greedy.received()).toBeGreaterThan(400 * 8000)
  expect(order).toHaveLength(402)
  expect(order.indexOf('/other')).toBeLessThan(30)
})

test('one that asks for many answers without a body lets others have their turn, too', async () => {
  const order: string[] = []
  await using server = serve({
    handle({ target }) {
      if (order.push(target) === 2) other.socket.write(get('/other'))
      return { head: headOf(304, {}), lines: '', body: '' }
    },
  })
  const other = dial(server.port, get('/first'))
  await until(() => other.received() > 0)
  const greedy = dial(server.port)
  greedy.socket.end(get('/much').repeat(8000))
  await greedy.closed
  expect(order).toHaveLength(8002)
  expect(order.indexOf('/other')).toBeLessThan(1000)
})

test('what came in time, while the process was busy, is answered', async () => {
  const patience = { ...PATIENT, idle: 100 }
  await using server = serve({
    patience,
    handle({ target }) {
      if (target === '/busy') {
        waiting.socket.write(get('/'))
        const end = performance.now() + 700
        while (performance.now() < end);
      }
      return { head: headOf(200, {}), lines: '', body: 'hello' }
    },
  })
  const waiting = dial(server.port, get('/'))
  await until(() => waiting.received() > 0)
  const before = waiting.received()
  dial(server.port, get('/busy'))
  await waiting.closed
  expect(waiting.received()).toBe(2 * before)
})

test('a body that is too long to be waited for ends the connection', () => {
  const isLast = (length: number) =>
    createHeadReader('')(Buffer.from(get('/', `Content-Length: ${length}\r\n`)), 0)
  expect(isLast(1024 * 1024)).toMatchObject({ isLast: false })
  expect(isLast(1024 * 1024 + 1)).toMatchObject({ isLast: true })
})

test('long fields are not kept once they are answered', () => {
  const read = createHeadReader('')
  const [long, short] = [5000, 50].map((length) => {
    const head = Buffer.from(get('/', `A: ${'x'.repeat(length)}\r\n`))
    return [0, 1].map(() => (read(head, 0) as { fields: object }).fields)
  })
  expect(long?.[0]).not.toBe(long?.[1] as object)
  expect(short?.[0]).toBe(short?.[1] as object)
})

test('callers above the limit are turned away until there is room, and the log says so once', async () => {
  const notices: string[] = []
  await using server = serve({ mostConnections: 4, onNotice: (sentence) => notices.push(sentence) })
  const kept = [1, 2, 3, 4].map(() => dial(server.port, get('/')))
  await until(() => kept.every(({ received }) => received() > 0))
  for (let turn = 0; turn < 5; turn++) {
    const { received, closed } = dial(server.port, get('/'))
    await closed
    expect(received()).toBe(0)
  }
  for (const { socket, received } of kept) {
    const before = received()
    socket.write(get('/'))
    await until(() => received() > before)
  }
  expect(notices).toEqual(['All 4 connections are in use: callers are turned away.'])
  for (const { socket } of kept) socket.destroy()
  await until(() => notices.length === 2)
  expect(notices[1]).toBe('There is room for connections again.')
  const { received } = dial(server.port, get('/'))
  await until(() => received() > 0)
})

test.each([
  [100, 50],
  [256, 128],
  [1024, 896],
  [1_048_576, 10_000],
  [Number.POSITIVE_INFINITY, 10_000],
])('of %p open files some are left for others: %p connections', (files, connections) => {
  expect(mostConnections(files)).toBe(connections)
})
