import { createServer, type Socket } from 'node:net'

/** A request. `status` is the status of the response if the request was forwarded. */
export type Seen = { path: string; headers: Headers; status: number | undefined }

type Fault = 'error' | 'busy' | 'reset' | 'cut' | 'slow'

const FAULTS: readonly Fault[] = ['error', 'busy', 'reset', 'cut', 'slow']
/** The most failures in a row per path: fewer than the retries of a client. */
const LONGEST_STREAK = 2

type Options = {
  seed?: number
  rate?: number
  /** After this many requests, further ones hang until `flow()`. */
  stallAfter?: number
}

/**
 * A proxy that corrupts some responses. The choice depends on the seed, the path and the number of earlier requests to
 * the path, but not on the order of requests to different paths.
 */
export async function faultyProxy(
  target: URL,
  { seed = 1, rate = 0, stallAfter = Number.POSITIVE_INFINITY }: Options = {},
) {
  const seen: Seen[] = []
  const faults: Record<Fault, number> = { error: 0, busy: 0, reset: 0, cut: 0, slow: 0 }
  const asked = new Map<string, number>()
  const streaks = new Map<string, number>()
  const stalled = Promise.withResolvers<void>()
  const flowing = Promise.withResolvers<void>()

  function findFault(path: string): Fault | undefined {
    const times = (asked.get(path) ?? 0) + 1
    asked.set(path, times)
    const dice = Bun.hash.wyhash(`${seed} ${times} ${path}`)
    const streak = streaks.get(path) ?? 0
    const spoil = Number(dice % 1000n) < rate * 1000 && streak < LONGEST_STREAK
    streaks.set(path, spoil ? streak + 1 : 0)
    return spoil ? FAULTS[Number((dice >> 32n) % 5n)] : undefined
  }

  const server = await serveRaw(async (socket, path, headers) => {
    const entry: Seen = { path, headers, status: undefined }
    seen.push(entry)
    if (seen.length > stallAfter) {
      stalled.resolve()
      await flowing.promise
    }
    const fault = findFault(path)
    if (fault) faults[fault]++
    if (fault === 'reset') return socket.resetAndDestroy()
    if (fault === 'error') return answer(socket, 500, {}, '<h1>Oops</h1>')
    if (fault === 'busy') return answer(socket, 429, { 'Retry-After': '1' }, '')
    headers.delete('Host')
    const response = await fetch(new URL(path, target), { headers, redirect: 'manual', decompress: false })
    const body = Buffer.from(await response.arrayBuffer())
    entry.status = response.status
    if (fault === 'slow') await Bun.sleep(20)
    const half = fault === 'cut' ? Math.floor(body.length / 2) : body.length
    answer(socket, response.status, Object.fromEntries(response.headers), body, half)
  })

  return {
    ...server,
    seen,
    faults,
    stalled: stalled.promise,
    flow: () => flowing.resolve(),
  }
}

/** Sends only the first `length` bytes of the body, with the Content-Length of the complete body. */
export function answer(
  socket: Socket,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
  length = body.length,
): void {
  const fields = { ...headers, connection: 'close' } as Record<string, string>
  if (status !== 304) fields['content-length'] = String(Buffer.byteLength(body))
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`)
  socket.end(body.slice(0, length))
}

/** An HTTP server on raw sockets, for requests without a body, one per connection. */
export async function serveRaw(respond: (socket: Socket, path: string, headers: Headers) => unknown) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let head = ''
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Writing to the connection of a killed client fails.
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (!head.endsWith('\r\n\r\n')) return
      const [first = '', ...fields] = head.trim().split('\r\n')
      head = ''
      const pairs = fields.map((line) => line.split(/: ?(.*)/, 2) as [string, string])
      const responded = respond(socket, first.split(' ')[1] ?? '', new Headers(pairs))
      // The request of a killed client may arrive after the target server has stopped.
      Promise.resolve(responded).catch(() => socket.destroy())
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
