import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What one caller got for one request. */
export type Got = {
  target: string
  status: number
  headers: string
  body: Buffer
  /** The port of the caller's side. */
  from: number
}

/** A request that got no whole answer. */
export type Failure = { target: string; from: number; reason: string }

export type Callers = {
  port: number
  /** What to ask next, with headers if need be. */
  next(): { target: string; headers?: string }
  onAnswer(got: Got): void
  onFailure(failure: Failure): void
  /** Whether to end where nobody listens any more; else that is a failure. */
  mayBeRefused?: boolean
  /** No more is asked after that. */
  end: AbortSignal
}

/** Asks again and again, each time over a new connection or for as long as the server keeps one. */
export async function call(options: Callers, keepsConnection: boolean): Promise<void> {
  while (!options.end.aborted) {
    const socket = await open(options.port)
    if (socket === undefined) {
      if (options.mayBeRefused) return
      options.onFailure({ target: '', from: 0, reason: 'there was no connection' })
      await sleep(SLOW_MILLISECONDS)
      continue
    }
    const from = socket.localPort ?? 0
    const read = createReader(socket)
    let isNew = true
    do {
      const { target, headers = '' } = options.next()
      const last = keepsConnection ? '' : 'Connection: close\r\n'
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}${last}\r\n`)
      const answer = await read()
      if (typeof answer === 'string') {
        // Every client asks again where a connection that it kept, and let rest, is found to be ended.
        if (isNew || !wasLate()) options.onFailure({ target, from, reason: answer })
        break
      }
      isNew = false
      options.onAnswer({ target, from, ...answer })
      if (!keepsConnection || /\r\nConnection: close\r\n/i.test(answer.headers)) break
      // Whoever waited long may find the connection ended by now.
      await new Promise(setImmediate)
    } while (!options.end.aborted && !socket.readableEnded && !socket.destroyed)
    socket.destroy()
  }
}

/** Callers that get no turn for so long let their connections rest, whatever they want. */
const LATE_MILLISECONDS = 200
const TICK_MILLISECONDS = 10

let lastTick = performance.now()
let lastLate = -1000
setInterval(() => {
  const now = performance.now()
  if (now - lastTick > LATE_MILLISECONDS) lastLate = now
  lastTick = now
}, TICK_MILLISECONDS).unref()

/** Whether this process was late in the last second. */
const wasLate = () => performance.now() - lastLate < 1000 || performance.now() - lastTick > LATE_MILLISECONDS

/** How long a slow caller takes for its next step. */
const SLOW_MILLISECONDS = 300

/** Has begun to ask when it returns; finishes later, and takes the answer later still. */
export async function callSlowly({
  port,
  next,
  onAnswer,
  onFailure,
}: Callers): Promise<{ answered: Promise<void> }> {
  const socket = await open(port)
  if (socket === undefined) return { answered: Promise.resolve() }
  const from = socket.localPort ?? 0
  const { target, headers = '' } = next()
  const read = createReader(socket)
  await new Promise((sent) => socket.write(`GET ${target} HTTP/1.1\r\n`, sent))

  async function finish(): Promise<void> {
    await sleep(SLOW_MILLISECONDS)
    socket?.pause()
    socket?.write(`Host: x\r\n${headers}\r\n`)
    const answer = read()
    await sleep(SLOW_MILLISECONDS)
    socket?.resume()
    const got = await answer
    if (typeof got === 'string') onFailure({ target, from, reason: got })
    else onAnswer({ target, from, ...got })
    socket?.destroy()
  }
  return { answered: finish() }
}

/** Nothing where the connection is refused. */
async function open(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  // Told by the reader.
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(undefined))
  })
}

type Answer = { status: number; headers: string; body: Buffer }

/** Reads an answer; or tells in what way there is none. */
function createReader(socket: Socket): () => Promise<Answer | string> {
  let input: Buffer = Buffer.alloc(0)
  let settle: ((answer: Answer | string) => void) | undefined
  let failure = 'the connection was ended'

  function look(): void {
    const headEnd = input.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const headers = input.subarray(0, headEnd + 2).toString('latin1')
    const status = Number(headers.slice(9, 12))
    const length = status === 304 ? 0 : Number(/\r\nContent-Length: (\d+)/i.exec(headers)?.[1] ?? 0)
    const end = headEnd + 4 + length
    if (input.length < end) return
    const body = Buffer.from(input.subarray(headEnd + 4, end))
    input = input.subarray(end)
    settle?.({ status, headers, body })
  }

  socket.on('data', (chunk: Buffer) => {
    input = input.length === 0 ? chunk : Buffer.concat([input, chunk])
    look()
  })
  socket.on('error', (error) => {
    failure = error.message
  })
  const fail = () => settle?.(`${failure} after ${input.length} bytes`)
  socket.on('end', fail)
  socket.on('close', fail)
  return () =>
    new Promise((resolve) => {
      settle = resolve
      if (socket.destroyed || socket.readableEnded) fail()
    })
}
