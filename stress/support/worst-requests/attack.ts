import { type Reading, type Sent, sendAtOnce } from './send-at-once.ts'
import { startCpuProbe, type Waits } from './start-cpu-probe.ts'
import { busiest, schedstatOf, threadTimes } from './thread-times.ts'
import type { WorstRequest } from './worst-requests.ts'

export const CONNECTIONS = 900

/** After the clients have disconnected, CPU use must end within this time. Then it is measured for as long. */
const END_MILLISECONDS = 1000

export type Target = { url: string; pid: number; thread: string }

export type Attack = {
  worst: WorstRequest
  /** The headers that identify the client. */
  headers: string
  /** The number of requests. At most 900 are sent at once. */
  limit: number
  stayMilliseconds: number
  /** Whether to measure the CPU use after the clients have left. */
  isEndMeasured: boolean
}

export type Damage = Waits & {
  statuses: Record<string, number>
  /** CPU milliseconds that the busiest thread used from 1 s to 2 s after the clients disconnected. */
  after: number
}

/** Sends the requests and measures how much they delay other clients. */
export async function attack(
  target: Target,
  { worst, headers, limit, stayMilliseconds, isEndMeasured }: Attack,
): Promise<Damage> {
  const probe = await startCpuProbe(target.url, target.pid, schedstatOf(target.pid, target.thread))
  const sent: Sent[] = []
  const end = performance.now() + stayMilliseconds
  for (let at = 0; at < limit && performance.now() < end; at += CONNECTIONS) {
    const count = Math.min(CONNECTIONS, limit - at)
    const requests = Array.from({ length: count }, (_, index) => encode(worst.request(at + index), headers))
    sent.push(await sendAtOnce(target.url, requests, worst.reading))
    await waitFor(sent, worst.reading, end)
  }
  if (worst.reading === 'never read') await Bun.sleep(Math.max(0, end - performance.now()))
  for (const each of sent) each.close()
  if (isEndMeasured) await Bun.sleep(END_MILLISECONDS)
  const waits = await probe.end()
  const after = isEndMeasured ? await measureUse(target.pid) : 0
  return { ...waits, statuses: sum(sent.map(({ statuses }) => statuses())), after }
}

/** Waits for the responses, but not longer than until `end`. Does not wait for clients that never read. */
async function waitFor(sent: readonly Sent[], reading: Reading, end: number): Promise<void> {
  if (reading === 'never read') return
  await Promise.race([sent.at(-1)?.closed, Bun.sleep(Math.max(0, end - performance.now()))])
}

/** The milliseconds of CPU that the busiest thread uses in a second. */
export async function measureUse(pid: number): Promise<number> {
  const before = threadTimes(pid)
  await Bun.sleep(END_MILLISECONDS)
  return busiest(pid, before)[0]?.[1] ?? 0
}

function encode(
  { method = 'GET', target, headers = '', body = '' }: ReturnType<WorstRequest['request']>,
  client: string,
): Uint8Array {
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(
    `${method} ${target} HTTP/1.1\r\nHost: stress\r\nConnection: close\r\n${client}${headers}${length}\r\n${body}`,
  )
}

function sum(counts: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const each of counts)
    for (const [name, count] of Object.entries(each)) total[name] = (total[name] ?? 0) + count
  return total
}
