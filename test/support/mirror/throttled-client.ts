import { createThrottledGet, type ThrottleOptions } from '../../../src/core/cli/throttled-client.ts'
import { NOON } from '../store/records.ts'

export { SourceError } from '../../../src/core/cli/throttled-client.ts'

type Answer = () => Response | Promise<Response>

export const good: Answer = () => Response.json({ fine: true })
export const status = (code: number, headers: Record<string, string> = {}): Answer => {
  return () => new Response(code === 304 ? null : '{"fine":true}', { status: code, headers })
}
export const fail = (message: string): Answer => {
  return () => Promise.reject(new Error(message))
}

export const GOOD = { status: 200 as const, body: { fine: true }, etag: '', location: '' }

/** Options of a client with a high rate, no key and the shortest delays. */
export const QUICK = {
  key: undefined,
  userAgent: 'test',
  rate: 1000,
  random: () => 0,
  signal: new AbortController().signal,
}

/** A fake clock that advances only while all work waits. */
function fakeTime() {
  let time = NOON
  const sleepers: { at: number; wake: () => void }[] = []
  return {
    now: () => time,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => sleepers.push({ at: time + milliseconds, wake })),
    async pass<T>(work: Promise<T>): Promise<T> {
      let over = false
      const end = () => {
        over = true
      }
      work.then(end, end)
      while (!over) {
        // After tests with a browser, a turn by setImmediate may take a second in Bun.
        await Bun.sleep(0)
        const next = sleepers.sort((one, other) => one.at - other.at).shift()
        if (!next) continue
        time = next.at
        next.wake()
      }
      return work
    },
  }
}

/** A client that receives `answers` as responses, in order. The last one repeats. */
export function createClient(answers: readonly Answer[], options: Partial<ThrottleOptions> = {}) {
  const time = fakeTime()
  const begun: number[] = []
  const send = createThrottledGet({
    ...QUICK,
    base: 'http://source.test',
    now: time.now,
    ticks: time.now,
    sleep: time.sleep,
    async fetch() {
      const next = answers[begun.length] ?? answers.at(-1)
      begun.push(time.now() - NOON)
      return (next as Answer)()
    },
    ...options,
  })
  return {
    time,
    /** When each request was sent, in milliseconds since the start. */
    begun,
    get: (path = '/x', etag?: string) => time.pass(send(path, etag)),
    getMany: (count: number) =>
      time.pass(Promise.all(Array.from({ length: count }, (_, at) => send(`/${at}`)))),
  }
}
