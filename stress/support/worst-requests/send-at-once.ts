/** What clients do after they have sent a request. */
export type Reading = 'read' | 'never read' | 'leave'

const CONNECTING = 100
const LEAVE_MILLISECONDS = 30

type Client = { request: Uint8Array; sent: number; status: string; closed: PromiseWithResolvers<void> }
type Socket = Bun.Socket<Client>

export type Sent = {
  /** The number of responses by status. Clients without a response have the status ''. */
  statuses: () => Record<string, number>
  /** Resolves when the server has closed all connections. */
  closed: Promise<unknown>
  close: () => void
}

/** Opens all connections, then sends one request on each of them. The requests must ask for `Connection: close`. */
export async function sendAtOnce(
  url: string,
  requests: readonly Uint8Array[],
  reading: Reading,
): Promise<Sent> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  for (let at = 0; at < requests.length; at += CONNECTING) {
    const some = requests.slice(at, at + CONNECTING)
    sockets.push(...(await Promise.all(some.map((request) => connect(hostname, Number(port), request)))))
  }
  for (const socket of sockets) {
    if (reading === 'never read') socket.pause()
    write(socket)
  }
  const sent = {
    statuses: () => countBy(sockets.map(({ data }) => data.status)),
    closed: Promise.all(sockets.map(({ data }) => data.closed.promise)),
    close: () => sockets.forEach((socket) => void socket.terminate()),
  }
  if (reading === 'leave') {
    await Bun.sleep(LEAVE_MILLISECONDS)
    sent.close()
  }
  return sent
}

function connect(hostname: string, port: number, request: Uint8Array): Promise<Socket> {
  return Bun.connect<Client>({
    hostname,
    port,
    data: { request, sent: 0, status: '', closed: Promise.withResolvers() },
    socket: {
      data({ data }, bytes) {
        data.status ||= /^HTTP\/1.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1] ?? ''
      },
      drain: write,
      close: ({ data }) => data.closed.resolve(),
      error: ({ data }) => data.closed.resolve(),
    },
  })
}

function write(socket: Socket): void {
  const { request, sent } = socket.data
  if (sent >= request.length) return
  socket.data.sent += Math.max(0, socket.write(request.subarray(sent)))
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
