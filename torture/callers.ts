import { connect, type Socket } from 'node:net'

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
  /** No more is asked after that. */
  end: AbortSignal
}

/** Asks again and again, each time over a new connection or for as long as the server keeps one. Ends where nobody listens. */
export async function call(options: Callers, keepsConnection: boolean): Promise<void> {
  while (!options.end.aborted) {
    const socket = await open(options.port)
    if (socket === undefined) return
    const from = socket.localPort ?? 0
    const read = createReader(socket)
    do {
      const { target, headers = '' } = options.next()
      const last = keepsConnection ? '' : 'Connection: close\r\n'
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}${last}\r\n`)
      const answer = await read()
      if (typeof answer === 'string') {
        options.onFailure({ target, from, reason: answer })
        break
      }
      options.onAnswer({ target, from, ...answer })
      if (!keepsConnection || /\r\nConnection: close\r\n/i.test(answer.headers)) break
      // Whoever waited long may find the connection ended by now.
      await new Promise(setImmediate)
    } while (!options.end.aborted && !socket.readableEnded && !socket.destroyed)
    socket.destroy()
  }
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
