import type { Fail } from '../run-scenario.ts'

/** `fixed` returns the part of the body that imports do not change. */
export type Target = { path: string; fixed: (body: Record<string, unknown>) => unknown }

const UNAVAILABLE = 'The service cannot reach its data right now. Try again shortly.'
const READERS = 4
const PAUSE_MILLISECONDS = 10
const TIMEOUT_MILLISECONDS = 120_000
/** A statement gets its result or fails within 10 seconds; the rest is a margin for a busy machine. */
const LATEST_MILLISECONDS = 15_000

/** Reads from all nodes. Each response must arrive in time, and be correct or the documented 503. */
export async function startReaders(
  urls: readonly string[],
  targets: readonly Target[],
  { fail, exceed, key = '' }: { fail: Fail; exceed: Fail; key?: string },
) {
  const expected = new Map<Target, string>()
  const counts = { responses: 0, unavailable: 0, slowest: 0 }
  let ended = false

  async function request(url: string, target: Target): Promise<void> {
    const begin = performance.now()
    const response = await fetch(url + target.path, {
      headers: key === '' ? {} : { 'X-API-KEY': key },
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    })
    const text = await response.text()
    const time = performance.now() - begin
    counts.responses++
    counts.slowest = Math.max(counts.slowest, Math.round(time))
    const problem = problemOf(target, response, text)
    if (problem !== undefined) fail(`${target.path}: ${problem}`)
    if (time > LATEST_MILLISECONDS) exceed(`${target.path} took ${Math.round(time)} ms`)
  }

  function problemOf(target: Target, { status, headers }: Response, text: string): string | undefined {
    if (status === 200) return isExpected(target, text) ? undefined : `responded ${text.slice(0, 200)}`
    if (status !== 503) return `status ${status}: ${text.slice(0, 200)}`
    counts.unavailable++
    const { error, code, request_id } = JSON.parse(text)
    const isDocumented =
      error === UNAVAILABLE &&
      code === 'unavailable' &&
      request_id === headers.get('X-Request-Id') &&
      headers.get('Retry-After') === '2'
    return isDocumented ? undefined : `undocumented 503: ${text.slice(0, 200)}`
  }

  function isExpected(target: Target, text: string): boolean {
    const fixed = JSON.stringify(target.fixed(JSON.parse(text)))
    if (!expected.has(target)) expected.set(target, fixed)
    return fixed === expected.get(target)
  }

  async function read(url: string, first: number): Promise<void> {
    for (let index = first; !ended; index++) {
      const target = targets[index % targets.length] as Target
      await request(url, target).catch((error) => fail(`${target.path}: ${error}`))
      await Bun.sleep(PAUSE_MILLISECONDS)
    }
  }

  // The first responses are recorded before any fault, and later ones are compared with them.
  for (const target of targets) for (const url of urls) await request(url, target)
  const reading = urls.flatMap((url) => Array.from({ length: READERS }, (_, first) => read(url, first)))
  return {
    counts,
    async end() {
      ended = true
      await Promise.all(reading)
    },
  }
}
