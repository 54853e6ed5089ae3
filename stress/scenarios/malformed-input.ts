import { connect } from 'node:net'
import { createRandom, type Random } from '../../test/support/random.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../run-scenario.ts'
import { tryToServe } from '../support/command.ts'
import { learnResponses } from '../support/demo-responses.ts'
import { statusOf } from '../support/process-status.ts'

const CLIENTS = 16
/** Clients that stay connected. They send nothing or only a part of a request, or do not read the response. */
const SLOW_CLIENTS = [
  '',
  'GET / HTTP/1.1\r\nHost: x\r\nA: ',
  'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx',
  'GET /api/v3/passports?limit=250 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
]
/** Allowed growth of memory from the first third of the run to the last third. */
const MOST_GROWTH_MEGABYTES = 64

const GET = 'GET /api/v3/passports/7 HTTP/1.1\r\nHost: x\r\n\r\n'

const randomBytes = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.whole(0, 255))).toString('latin1')

const KINDS: readonly ((random: Random) => string)[] = [
  (random) => randomBytes(random, random.whole(1, 2000)),
  (random) => GET.slice(0, random.whole(1, GET.length - 1)),
  // Replaces a part of a valid request.
  (random) => {
    const at = random.whole(0, GET.length)
    return GET.slice(0, at) + randomBytes(random, random.whole(1, 9)) + GET.slice(at + random.whole(0, 9))
  },
  (random) => `GET /${randomBytes(random, 200).replaceAll(/\s/g, '')} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET /${'x'.repeat(random.whole(8000, 100_000))} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => GET.replace('\r\n\r\n', `\r\nA: ${'x'.repeat(random.whole(8000, 100_000))}\r\n\r\n`),
  (random) => GET.replace('\r\n\r\n', `\r\n${'A: b\r\n'.repeat(random.whole(100, 5000))}\r\n`),
  (random) => GET.replace('1.1', random.pick(['1.0', '0.9', '2.0', '9', ''])),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => 'POST /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  () =>
    'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  (random) =>
    `POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: ${random.pick(['-1', '1e9', '99999999999999999999', 'x'])}\r\n\r\n`,
]

export const garbage: Scenario = {
  name: 'garbage',
  title: 'random bytes, malformed requests and slow clients, together with valid requests',
  long: 50_000,
  short: 200,
  async run(times, fail) {
    using folder = tempFolder()
    const options = { cwd: folder.path, database: `${folder.path}/people.db`, timeout: 3_600_000 }
    await using server = await tryToServe(options, ['--demo'])
    const url = server.url as string
    const port = Number(new URL(url).port)
    const responses = await learnResponses(url)
    const memory: number[] = []
    let [sent, served] = [0, 0]

    async function sendGarbage(seed: number): Promise<void> {
      const random = createRandom(seed)
      while (sent < times) {
        sent++
        await sendBytes(port, Buffer.from(random.pick(KINDS)(random), 'latin1'))
      }
    }
    async function sendRequests(keepalive: boolean): Promise<void> {
      while (sent < times) {
        const [path, body] = responses[served % responses.length] as [string, string]
        const response = await fetch(url + path, { keepalive }).catch((error: Error) => error)
        const text = response instanceof Error ? response.message : await response.text()
        if (text !== body) fail(`${path}: ${text}`)
        served++
        memory.push(statusOf(server.child.pid).memory)
      }
    }
    const slow = SLOW_CLIENTS.flatMap((text) => Array.from({ length: 5 }, () => connectAndSend(port, text)))
    await Promise.all([
      ...Array.from({ length: CLIENTS }, (_, seed) => sendGarbage(seed)),
      sendRequests(true),
      sendRequests(false),
    ])
    for (const socket of slow) socket.destroy()

    const third = Math.ceil(memory.length / 3)
    const growth = Math.round(mean(memory.slice(-third)) - mean(memory.slice(0, third)))
    if (growth > MOST_GROWTH_MEGABYTES) fail(`memory grew by ${growth} MB`)
    const { code, err } = await server.stop()
    if (code !== 0 || err !== '') fail(`serve exited with ${code}: ${err}`)
    return { count: sent, note: `${served.toLocaleString('en')} valid requests, memory grew by ${growth} MB` }
  },
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

function connectAndSend(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  if (text !== '') socket.write(text)
  return socket
}

/** Sends bytes, and waits until the server closes the connection or is silent for 20 ms. */
function sendBytes(port: number, bytes: Buffer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).on('close', () => resolve())
  socket.on('data', () => undefined).setTimeout(20, () => socket.destroy())
  socket.end(bytes)
  return promise
}
