import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection } from '../../src/api/wire/connection.ts'
import { createHoldings } from '../../src/api/wire/holdings.ts'
import type { Incoming } from '../../src/api/wire/incoming.ts'
import { createOutbox } from '../../src/api/wire/outbox.ts'
import { headOf, type Reply } from '../../src/api/wire/reply.ts'
import { serveHttp, type WireOptions } from '../../src/api/wire/server.ts'
import type { Worker } from '../../src/api/wire/turn.ts'

const reply = (body: string | Uint8Array, lines = ''): Reply => ({ head: headOf(200, {}), lines, body })

/** Answers with what it was asked; `/late…` a little later, `/large` with more than any buffer holds. */
function echo({ method, target }: Incoming): Reply | Promise<Reply> {
  if (target === '/large') return reply(LARGE)
  const answer = reply(`${method} ${target}`)
  return target.startsWith('/late') ? sleep(5).then(() => answer) : answer
}

const recorder = (seen: Incoming[]) => (incoming: Incoming) => {
  seen.push(incoming)
  return reply('')
}

const LARGE = new Uint8Array(20_000_000).fill(65)

function serve(options: Partial<WireOptions> = {}) {
  const server = serveHttp({
    host: '127.0.0.1',
    port: 0,
    handle: echo,
    refuse: ({ code, message }) => ({ head: headOf(400, {}), lines: '', body: `${code}: ${message}` }),
    now: () => Date.UTC(2026, 0, 1),
    ...options,
  })
  return { ...server, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A socket, all that it received, and its end. */
function dial(port: number): { socket: Socket; text: () => string; closed: Promise<string> } {
  const chunks: Buffer[] = []
  const text = () => Buffer.concat(chunks).toString('latin1')
  const socket = connect(port, '127.0.0.1')
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = new Promise<string>((resolve, reject) => {
    socket.on('close', () => resolve(text()))
    socket.on('error', reject)
  })
  return { socket, text, closed }
}

/** Sends the pieces, one after the other, and waits until the server ends the connection. */
async function exchange(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const { socket, closed } = dial(port)
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await sleep(1)
  }
  return closed
}

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const last = (target: string) => get(target, 'Connection: close\r\n')
const bodies = (text: string) =>
  [...text.matchAll(/\r\n\r\n([A-Z]+ \S*?)(?=HTTP|$)/g)].map(([, body]) => body)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2)
}

test('an answer has a date, a length and nothing else of its own', async () => {
  await using server = serve()
  expect(await exchange(server.port, last('/a'))).toBe(
    'HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: 6\r\nConnection: close\r\n\r\nGET /a',
  )
})

test('a connection serves one request after the other', async () => {
  await using server = serve()
  const { socket, text, closed } = dial(server.port)
  for (const target of ['/1', '/late2', '/3']) {
    const before = text().length
    socket.write(get(target, `X-Own: ${target}\r\n`))
    await until(() => text().length > before)
  }
  socket.end(last('/4'))
  expect(bodies(await closed)).toEqual(['GET /1', 'GET /late2', 'GET /3', 'GET /4'])
})

test('requests that do not wait for their answers are answered in order, late ones too', async () => {
  await using server = serve()
  const targets = Array.from({ length: 200 }, (_, at) => (at % 7 === 3 ? `/late${at}` : `/${at}`))
  const text = await exchange(server.port, targets.map((target) => get(target)).join('') + last('/end'))
  expect(bodies(text)).toEqual([...targets, '/end'].map((target) => `GET ${target}`))
})

test('more requests than anybody would let wait are answered all the same', async () => {
  await using server = serve()
  const many = Array.from({ length: 20_000 }, (_, at) => get(at % 1000 === 0 ? `/late${at}` : `/${at}`))
  const text = await exchange(server.port, many.join('') + last('/end'))
  expect(bodies(text)).toHaveLength(20_001)
})

test('a request may come byte by byte', async () => {
  await using server = serve()
  expect(bodies(await exchange(server.port, ...last('/slow')))).toEqual(['GET /slow'])
})

test.each([
  ['GET http://elsewhere/a?b HTTP/1.1\r\nHost: x\r\n', 'GET /a?b'],
  ['GET HTTP://elsewhere?b HTTP/1.1\r\nHost: x\r\n', 'GET /?b'],
  ['OPTIONS * HTTP/1.1\r\nHost: x\r\n', 'OPTIONS *'],
  ['\r\n\r\nGET /after-empty-lines HTTP/1.1\r\nHost: x\r\n', 'GET /after-empty-lines'],
  ['PROPFIND / HTTP/1.1\r\nHost: x\r\n', 'PROPFIND /'],
  ['GET /J\u00c3\u00b6 HTTP/1.1\r\nHost: x\r\n', 'GET /J\u00c3\u00b6'],
  ['GET / HTTP/1.0\r\n', 'GET /'],
])('%j is a request', async (head, body) => {
  await using server = serve()
  const text = await exchange(server.port, Buffer.from(`${head}Connection: close\r\n\r\n`, 'latin1'))
  expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(body)
})

test('an old client keeps its connection only if it asks to', async () => {
  await using server = serve()
  const old = (more: string) => `GET /old HTTP/1.0\r\n${more}\r\n`
  const text = await exchange(server.port, old('Connection: keep-alive\r\n') + old('') + old(''))
  expect(bodies(text)).toEqual(['GET /old', 'GET /old'])
  // Otherwise some wait for its end to have the whole answer.
  expect(text.match(/Connection: .*/g)).toEqual(['Connection: keep-alive', 'Connection: close'])
})

test('HEAD is answered with the length of a body that is not sent', async () => {
  await using server = serve()
  const text = await exchange(server.port, `HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n${last('/b')}`)
  expect(text).toContain('Content-Length: 7\r\n\r\nHTTP/1.1 200 OK')
  expect(bodies(text)).toEqual(['GET /b'])
})

test('a body is passed over, wherever it is cut', async () => {
  await using server = serve()
  const post = `POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n${last('/not-a-request').slice(0, 30)}`
  const whole = post + post + last('/end')
  for (const cut of [10, post.length - 31, post.length - 20, post.length, post.length + 5]) {
    const text = await exchange(server.port, whole.slice(0, cut), whole.slice(cut))
    expect(bodies(text)).toEqual(['POST /p', 'POST /p', 'GET /end'])
  }
})

test.each(['Transfer-Encoding: chunked', 'Expect: 100-continue\r\nContent-Length: 5'])(
  'after a body of which nobody knows where it ends (%s), the connection ends',
  async (field) => {
    await using server = serve()
    const text = await exchange(
      server.port,
      `POST /p HTTP/1.1\r\nHost: x\r\n${field}\r\n\r\n5\r\n${get('/smuggled')}`,
    )
    expect(bodies(text)).toEqual(['POST /p'])
  },
)

test.each([
  ['lines that end in LF alone', 'GET / HTTP/1.1\nHost: x\n\n'],
  ['a header line that ends in LF alone', 'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'],
  ['a line feed in the request line', 'GET /\nHost: HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
  ['two lengths', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ['a length that is a list', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n'],
  ['a length with a sign', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n'],
  ['a length that is none', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n'],
  [
    'a length and chunks',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['two encodings', 'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: a\r\nTransfer-Encoding: b\r\n\r\n'],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n'],
  ['a zero byte in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n'],
  ['a carriage return in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n'],
  ['a zero byte in the path', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a path without its slash', 'GET a HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no path', 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no version', 'GET /\r\nHost: x\r\n\r\n'],
  ['a version of the future', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method that is none', 'G(T / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n'],
])('%s: a sentence, and the end', async (_, text) => {
  const asked: Incoming[] = []
  await using server = serve({ handle: recorder(asked) })
  const answer = await exchange(server.port, Buffer.from(text + get('/smuggled'), 'latin1'))
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*\r\ninvalid_request: [A-Z].+\.$/)
  expect(asked).toEqual([])
})

test.each([
  ['in a header', `A: a${' '.repeat(60_000)}b`],
  ['before a character that no header may have', `A: ${' '.repeat(60_000)}\0`],
  ['in Connection', `Connection: close, a${' '.repeat(60_000)}b`],
])('many blanks %s are read no slower than letters', async (_, field) => {
  await using server = serve()
  // At a cost that grows with the square of their number, so many would outlast the test.
  for (let time = 0; time < 100; time++) {
    const answer = await exchange(
      server.port,
      `GET / HTTP/1.1\r\nHost: x\r\n${field}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toStartWith('HTTP/1.1 ')
  }
})

test('a head that never ends is refused, whole or in pieces', async () => {
  await using server = serve()
  const filler = `A: ${'x'.repeat(1000)}\r\n`.repeat(80)
  const heads = [`GET / HTTP/1.1\r\nHost: x\r\n${filler}\r\n`, `GET /${'x'.repeat(80_000)}`]
  for (const text of [...heads, '\r\n'.repeat(40_000)])
    expect(await exchange(server.port, text)).toContain('headers_too_large: ')
})

test('fields that are the same again are the same object; others are read anew', async () => {
  const seen: Incoming[] = []
  await using server = serve({ handle: recorder(seen) })
  await exchange(
    server.port,
    get('/1') + get('/2') + get('/3', 'A: b\r\n') + get('/4', 'A: c\r\nA: d\r\n') + last('/5'),
  )
  const [one, two, three, four] = seen
  expect(two?.fields).toBe(one?.fields as Incoming['fields'])
  expect([...(one?.fields ?? [])]).toEqual([['host', 'x']])
  expect([three, four].map((each) => each?.fields.get('a'))).toEqual(['b', 'c, d'])
  expect(one?.address).toBe('127.0.0.1')
})

test('a caller that takes its time gets all of a large answer, and the next', async () => {
  await using server = serve()
  const { socket, closed } = dial(server.port)
  socket.pause()
  socket.write(get('/large') + last('/b'))
  await sleep(50)
  socket.resume()
  const text = await closed
  expect(text.length).toBeGreaterThan(LARGE.length)
  expect(text).toEndWith('\r\n\r\nGET /b')
})

const HASTE = { idle: 100, head: 100, stall: 100, linger: 100 }

test.each([
  ['says nothing', [] as string[]],
  ['never finishes its request', ['GET / HTTP/1.1\r\n', ...'Host: x'.repeat(200)]],
  ['does not come back', [get('/a')]],
  ['sends what belongs to no request', [last('/a'), ...'x'.repeat(1000)]],
])('a caller that %s is let go', async (_, pieces) => {
  await using server = serve({ patience: HASTE })
  const { socket, closed } = dial(server.port)
  let isClosed = false
  socket.on('close', () => {
    isClosed = true
  })
  // Some of what is written may find nobody any more.
  const ended = closed.catch(() => '')
  for (const piece of pieces) {
    if (isClosed) break
    socket.write(piece)
    await sleep(5)
  }
  await ended
})

test('a caller that takes nothing of its answer is let go', async () => {
  await using server = serve({ patience: HASTE })
  const { socket, closed } = dial(server.port)
  const received = closed.catch(() => '')
  socket.pause()
  socket.write(get('/large'))
  await sleep(1500)
  socket.resume()
  expect((await received).length).toBeLessThan(LARGE.length)
})

test('a caller that will send no more gets all of its answers', async () => {
  await using server = serve()
  for (const requests of [['/a'], ['/late'], ['/late', '/a', '/late'], ['/large', '/a']]) {
    const { socket, closed } = dial(server.port)
    socket.end(requests.map((target) => get(target)).join(''))
    expect((await closed).match(/HTTP\/1.1 200/g)).toHaveLength(requests.length)
  }
  const { socket, closed } = dial(server.port)
  socket.end('GET / HTTP/1.1\r\n')
  expect(await closed).toBe('')
})

test('a caller that is gone before its answer harms nobody', async () => {
  await using server = serve()
  for (let turn = 0; turn < 20; turn++) {
    const { socket } = dial(server.port)
    socket.on('error', () => undefined)
    socket.write(get('/late') + get('/large'), () => socket.destroy())
  }
  await sleep(20)
  expect(bodies(await exchange(server.port, last('/a')))).toEqual(['GET /a'])
})

test.each([
  ['is gone', (socket: Socket) => socket.resetAndDestroy()],
  ['will send no more, and may be gone,', (socket: Socket) => socket.end()],
])('a caller that %s is not worked for without end', async (_, leave) => {
  const gone: (() => boolean)[] = []
  const never = new Promise<Reply>(() => undefined)
  const handle: WireOptions['handle'] = (_, isGone) => {
    gone.push(isGone)
    return never
  }
  await using server = serve({ handle, patience: HASTE })
  const { socket, closed } = dial(server.port)
  closed.catch(() => '')
  socket.write(get('/a'))
  await until(() => gone.length === 1)
  expect(gone[0]?.()).toBe(false)
  leave(socket)
  await until(() => gone[0]?.() === true)
})

test('a stop ends what is idle, and lets what is under way finish', async () => {
  await using server = serve()
  const idle = dial(server.port)
  const busy = dial(server.port)
  const chatty = dial(server.port)
  for (const { socket, text } of [idle, chatty]) {
    socket.write(get('/a'))
    await until(() => text() !== '')
  }
  busy.socket.write(get('/late') + get('/after'))
  await sleep(2)
  const stopped = server.stop()
  chatty.socket.write(get('/b'))
  expect(bodies(await busy.closed)).toEqual(['GET /late'])
  expect(bodies(await chatty.closed)).toEqual(['GET /a', 'GET /b'])
  expect(await chatty.closed).toContain('Connection: close')
  expect(bodies(await idle.closed)).toEqual(['GET /a'])
  await stopped
})

test('a stop lets those finish who have begun a request, and answers those who are just coming', async () => {
  await using server = serve()
  const slow = dial(server.port)
  slow.socket.write('GET /slow HTTP/1.1\r\n')
  await sleep(20)
  const stopped = server.stop()
  expect(bodies(await exchange(server.port, get('/new')))).toEqual(['GET /new'])
  await sleep(500)
  slow.socket.write('Host: x\r\n\r\n')
  expect(bodies(await slow.closed)).toEqual(['GET /slow'])
  await stopped
})

test('a request that comes while the server is busy is answered, however late that is', async () => {
  const patience = { idle: 10, head: 10, stall: 10_000, linger: 10_000 }
  await using server = serve({
    patience,
    handle(incoming) {
      if (incoming.target === '/busy') {
        patient.socket.write(last('/b'))
        const end = performance.now() + 600
        while (performance.now() < end);
      }
      return echo(incoming)
    },
  })
  const patient = dial(server.port)
  patient.socket.write(get('/a'))
  await until(() => patient.text() !== '')
  await exchange(server.port, last('/busy'))
  expect(bodies(await patient.closed)).toEqual(['GET /a', 'GET /b'])
})

test('a request that cannot be answered at all costs its caller the connection, and nobody else', async () => {
  await using server = serve({
    handle(incoming) {
      if (incoming.target === '/broken') throw new Error('broken')
      return incoming.target === '/late-broken' ? Promise.reject(new Error('broken')) : echo(incoming)
    },
  })
  const callers = ['/a', '/broken', '/late-broken', '/b'].map((target) =>
    exchange(server.port, last(target)).catch(() => ''),
  )
  expect((await Promise.all(callers)).map(bodies)).toEqual([['GET /a'], [], [], ['GET /b']])
})

test('a stop waits neither for the rest of a body, nor for one that took its last answer slowly', async () => {
  const never = Number.MAX_SAFE_INTEGER
  await using server = serve({
    patience: { idle: never, head: never, stall: never, linger: 100 },
  })
  const sender = dial(server.port)
  sender.socket.write('POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n')
  await until(() => sender.text() !== '')
  const reader = dial(server.port)
  reader.socket.pause()
  reader.socket.write(get('/large'))
  await sleep(50)
  const stopped = server.stop()
  const drip = setInterval(() => sender.socket.write('x'), 20)
  reader.socket.resume()
  sender.socket.on('end', () => clearInterval(drip))
  await stopped
  expect((await reader.closed).length).toBeGreaterThan(LARGE.length)
})

test('a field cannot hold what would begin another one', () => {
  expect(() => headOf(200, { Link: 'a\r\nSet-Cookie: b' })).toThrow(
    'The field Link cannot hold "a\\r\\nSet-Cookie: b".',
  )
  expect(() => headOf(200, { Link: '\u{1f409}' })).toThrow('cannot hold')
})

test('what a caller takes slowly of a large answer is held once, and not copied each time it takes some', () => {
  const written: ArrayBufferLike[] = []
  let length = 0
  const socket = {
    remoteAddress: '127.0.0.1',
    write(bytes: Buffer, start = 0, size = bytes.length) {
      written.push(bytes.buffer)
      const taken = Math.min(size - start, 1_000_000)
      length += taken
      return taken
    },
  } as unknown as Parameters<typeof createConnection>[0]
  const outbox = createOutbox(() => 0)
  const work: Worker[] = []
  const connection = createConnection(socket, {
    handle: () => reply(LARGE),
    refuse: () => reply(''),
    turn: { await: (worker) => void work.push(worker), time: () => 0 },
    outbox,
    holdings: createHoldings(1),
    isEnding: () => false,
    patience: HASTE,
  })
  connection.receive(Buffer.from(get('/large')))
  work[0]?.work()
  outbox.flush()
  for (let turn = 0; turn < 30; turn++) connection.drain()
  expect(length).toBeGreaterThan(LARGE.length)
  // Of what is left, less than half of the whole is copied, so that the whole can go.
  expect(new Set(written.slice(1)).size).toBeLessThan(10)
  expect(written.slice(1, 4).every((bytes) => bytes === LARGE.buffer)).toBe(true)
})

test('who has taken all that was answered may wait for its next answer as others do', async () => {
  let room = 0
  let isClosed = false
  const socket = {
    remoteAddress: '127.0.0.1',
    write: (bytes: Buffer, start = 0, size = bytes.length - start) => Math.min(size, room),
    close() {
      isClosed = true
    },
  } as unknown as Parameters<typeof createConnection>[0]
  const outbox = createOutbox(() => 0)
  const work: Worker[] = []
  const connection = createConnection(socket, {
    handle: ({ target }) => (target === '/late' ? new Promise(() => undefined) : reply('hello')),
    refuse: () => reply(''),
    turn: { await: (worker) => void work.push(worker), time: () => 0 },
    outbox,
    holdings: createHoldings(1_000_000),
    isEnding: () => false,
    patience: { ...HASTE, stall: 1 },
  })
  connection.receive(Buffer.from(get('/') + get('/late')))
  work.shift()?.work()
  outbox.flush()
  room = 1_000_000
  connection.drain()
  work.shift()?.work()
  await sleep(5)
  connection.sweep()
  connection.sweep()
  expect(isClosed).toBe(false)
})
