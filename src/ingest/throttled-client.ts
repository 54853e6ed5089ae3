export type ThrottledClientOptions = {
  base: string
  key: string | undefined
  userAgent: string
  /** Requests a second at most. */
  rate: number
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Ends early when the signal is aborted. */
  sleep: (milliseconds: number) => Promise<void>
  now: () => number
  /** Milliseconds of a monotonic clock: delays must not depend on the wall clock. */
  ticks: () => number
  random: () => number
  signal: AbortSignal
}

export type Reply = { status: 200; body: unknown; etag: string } | { status: 304 } | { status: 404 }

/** The source cannot or will not answer, and trying again does not help. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** This one request has no good answer; others may. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

type Retry = { retry: string; waited: boolean }

const TIMEOUT = 30_000
const ATTEMPTS = 8
/** A source that never answered is a wrong address sooner than a bad day. */
const FIRST_ATTEMPTS = 3
/** A source that fell silent is not asked for everything else as well. */
const LONGEST_SILENCE = 600_000
/** Being hasRetryTime to wait is no failure; but not for ever. */
const WAITS = 100
const FIRST_BACKOFF = 500
const LONGEST_BACKOFF = 30_000
const LONGEST_WAIT = 3600_000
const LARGEST_BODY = 8 * 1024 * 1024

/** Asks a V1 service for JSON: not faster than agreed, never while hasRetryTime to wait, again where it may help. */
export function createThrottledClient(options: ThrottledClientOptions) {
  const { fetch, sleep, now, ticks, random, signal, base, key, userAgent, rate } = options
  const gap = 1000 / rate
  let nextSlot = 0
  let pausedUntil = 0
  let lastAnswer: number | undefined

  async function takeTurn(): Promise<void> {
    for (;;) {
      const slot = Math.max(nextSlot, pausedUntil, ticks())
      nextSlot = slot + gap
      const wait = slot - ticks()
      if (wait > 0) await sleep(wait)
      signal.throwIfAborted()
      // Otherwise all were hasRetryTime to wait in the meantime.
      if (slot >= pausedUntil) return
    }
  }

  function pause(milliseconds: number): void {
    pausedUntil = Math.max(pausedUntil, ticks() + Math.min(milliseconds, LONGEST_WAIT))
  }

  async function ask(path: string, etag: string | undefined): Promise<Reply | Retry> {
    await takeTurn()
    const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': userAgent }
    if (key !== undefined) headers['X-API-KEY'] = key
    if (etag) headers['If-None-Match'] = etag
    try {
      const response = await fetch(base + path, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
      })
      const wait = readWait(response.headers, now())
      if (wait !== undefined) pause(wait)
      const reply = await read(path, response, wait !== undefined)
      lastAnswer = ticks()
      return reply
    } catch (error) {
      if (error instanceof SourceError || error instanceof ResponseError) throw error
      signal.throwIfAborted()
      return { retry: (error as Error).message, waited: false }
    }
  }

  async function read(path: string, response: Response, hasRetryTime: boolean): Promise<Reply | Retry> {
    const { status } = response
    if (status === 200) {
      const text = await readText(path, response)
      return { status, body: JSON.parse(text), etag: response.headers.get('ETag') ?? '' }
    }
    await response.body?.cancel()
    if (status === 304) return { status }
    if (status === 404 || status === 410) return { status: 404 }
    if (status === 429 || status >= 500)
      return { retry: `status ${status}`, waited: status === 429 || hasRetryTime }
    if (status === 401 || status === 403)
      throw new SourceError(`${base} rejected the request (${status}). Pass a valid API key.`)
    if (status >= 300 && status < 400) {
      const place = URL.parse(response.headers.get('Location') ?? '', base + path)
      throw new SourceError(
        `${base} redirects to ${place ? place.origin + place.pathname : 'another URL'} (${status}). Use that URL.`,
      )
    }
    throw new ResponseError(`${path}: received status ${status}`)
  }

  function giveUp(path: string, tries: number, last: string): Error {
    const complaint = `no valid response after ${tries} attempts, the last: ${last}`
    if (lastAnswer === undefined) return new SourceError(`${base}: ${complaint}. Check the URL.`)
    if (ticks() - lastAnswer > LONGEST_SILENCE)
      return new SourceError(`${base} stopped responding: ${complaint}. Run the command again later.`)
    return new ResponseError(`${path}: ${complaint}`)
  }

  return {
    /** Throws a `SourceError` or an `ResponseError`. */
    async get(path: string, etag?: string): Promise<Reply> {
      let failures = 0
      let waits = 0
      for (;;) {
        const reply = await ask(path, etag)
        if ('status' in reply) return reply
        if (reply.waited) waits++
        else failures++
        const attempts = lastAnswer === undefined ? FIRST_ATTEMPTS : ATTEMPTS
        if (failures >= attempts || waits >= WAITS) throw giveUp(path, failures + waits, reply.retry)
        // Jitter: many clients that failed together must not come back together.
        const backoff =
          Math.min(FIRST_BACKOFF * 2 ** Math.max(failures, waits), LONGEST_BACKOFF) * (0.5 + random() / 2)
        if (!reply.waited) await sleep(backoff)
        else if (pausedUntil <= ticks()) pause(backoff)
      }
    },
  }
}

/** The body, unless it is larger than any honest one. */
async function readText(path: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LARGEST_BODY)
      throw new ResponseError(`${path}: the response is larger than ${LARGEST_BODY / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  const declared = response.headers.get('Content-Length')
  const encoded = response.headers.has('Content-Encoding')
  if (declared !== null && !encoded && Number(declared) !== size) throw new Error('the response is incomplete')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}

/** How long the source asks clients to wait, in milliseconds. */
function readWait(headers: Headers, now: number): number | undefined {
  const after = headers.get('Retry-After')
  if (after !== null) {
    const wait = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - now
    if (wait > 0) return wait
  }
  // Drafts differ: one item per policy, such as `"default";r=0;t=5`, or `remaining=0, reset=5`, or a header for each.
  const limit =
    headers.get('RateLimit') ??
    `remaining=${headers.get('RateLimit-Remaining')}, reset=${headers.get('RateLimit-Reset')}`
  const policies = limit.includes('remaining=') ? [limit] : limit.split(',')
  const resets = policies
    .filter((policy) => /(?:^|[;,\s])r(?:emaining)?=0\b/.test(policy))
    .map((policy) => Number(/(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(policy)?.[1] ?? 0))
  return Math.max(0, ...resets) * 1000 || undefined
}
