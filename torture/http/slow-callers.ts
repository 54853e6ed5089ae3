import { request } from './probe.ts'
import type { STATED } from './time-limits.ts'

/** More than the system holds for a caller that does not read. */
export const LARGE_PAGES = request('/api/v1/passports?per_page=250').repeat(100)

type Slow = {
  /** What it sends at once, and what it goes on with, letter by letter. */
  text: string
  drip?: string
  /** Whether it takes its answers. The system keeps some megabytes for each that does not. */
  reads?: boolean
  /** Whether it says at once that it will send no more. */
  finishes?: boolean
  limit: keyof typeof STATED
}

const ENDLESS_BODY = 'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'

export const SLOW: Readonly<Record<string, Slow>> = {
  silent: { text: '', limit: 'head' },
  'slow to write a head': { text: 'GET / HTTP/1.1\r\nHost: x\r\nA: ', drip: 'x', limit: 'head' },
  'slow to write a second head': { text: `${request('/health')}GET /`, drip: 'x', limit: 'head' },
  'slow to write a body': { text: ENDLESS_BODY, drip: 'x', limit: 'head' },
  idle: { text: request('/health'), limit: 'idle' },
  'not reading': { text: LARGE_PAGES, reads: false, limit: 'stall' },
  'not reading, and finished': { text: LARGE_PAGES, reads: false, finishes: true, limit: 'stall' },
  'sending on': { text: request('/health', 'Connection: close\r\n'), drip: 'x', limit: 'linger' },
}

export type Caller = {
  kind: string
  /** How many milliseconds after it came it was let go. */
  ended: Promise<number>
  leave(): void
}

const DRIP_MILLISECONDS = 200

export async function callSlowly(port: number, kind: string): Promise<Caller> {
  const { text, drip, limit, reads = true, finishes = false } = SLOW[kind] as Slow
  const gone = Promise.withResolvers<number>()
  const begin = performance.now()
  let dripping: Timer | undefined
  function leave() {
    clearInterval(dripping)
    gone.resolve(performance.now() - begin)
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    allowHalfOpen: true,
    socket: {
      data: () => undefined,
      // After its last answer it goes on as if it had not been told.
      end: limit === 'linger' ? () => undefined : leave,
      close: leave,
      error: leave,
    },
  })
  if (!reads) socket.pause()
  if (text !== '') socket.write(text)
  if (finishes) socket.shutdown()
  if (drip !== undefined) dripping = setInterval(() => socket.write(drip), DRIP_MILLISECONDS)
  return { kind, ended: gone.promise, leave: () => socket.terminate() }
}
