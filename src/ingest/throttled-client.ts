export type ThrottleOptions = {
  base: string
  key: string | undefined
  userAgent: string
  rate: number
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Must end early when the signal is aborted. */
  sleep: (milliseconds: number) => Promise<void>
  now: () => number
  /** Monotonic clock in milliseconds: the wall clock may be set back. */
  ticks: () => number
  random: () => number
  signal: AbortSignal
}

export type Reply =
  | { status: 200; body: unknown; etag: string; location: string }
  | { status: 304 }
  | { status: 404 }

/** The source is unavailable or rejects all requests; a retry does not help. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** One request failed; other requests may succeed. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

type Retry = { retry: string; waited: boolean }

const TIMEOUT = 30_000
const ATTEMPTS = 8
/** Before the first response: the URL is probably wrong. */
const FIRST_ATTEMPTS = 3
/** Without a response for this long, the whole run is aborted. */
const LONGEST_OUTAGE = 600_000
/** Rate-limited attempts do not count as failures, up to this limit. */
const WAITS = 100
const FIRST_BACKOFF = 500
const LONGEST_BACKOFF = 30_000
const LONGEST_WAIT = 3600_000
const LARGEST_BODY = 8 * 1024 * 1024

export type ThrottledClient = {
  /** Throws a `SourceError` or a `ResponseError`. */
  get(path: string, etag?: string): Promise<Reply>
}

/** The state that all requests share. Times are those of `ticks`. */
type State = {
  options: ThrottleOptions
  nextSlot: number
  pausedUntil: number
  lastResponse: number | undefined
}

/** Sends GET requests to a V1 service, with a rate limit, Retry-After support and retries. */
export function createThrottledClient(options: ThrottleOptions): ThrottledClient {
  const state: State = { options, nextSlot: 0, pausedUntil: 0, lastResponse: undefined }
  return { get: (path, etag) => get(state, path, etag) }
}

async function get(state: State, path: string, etag: string | undefined): Promise<Reply> {
  const { ticks, sleep, random } = state.options
  let failures = 0
  let waits = 0
  for (;;) {
    const reply = await attempt(state, path, etag)
    if ('status' in reply) return reply
    if (reply.waited) waits++
    else failures++
    const attempts = state.lastResponse === undefined ? FIRST_ATTEMPTS : ATTEMPTS
    if (failures >= attempts || waits >= WAITS) throw giveUp(state, path, failures + waits, reply.retry)
    // Jitter: clients that failed together must not retry together.
    const backoff =
      Math.min(FIRST_BACKOFF * 2 ** Math.max(failures, waits), LONGEST_BACKOFF) * (0.5 + random() / 2)
    if (!reply.waited) await sleep(backoff)
    else if (state.pausedUntil <= ticks()) pause(state, backoff)
  }
}

async function attempt(state: State, path: string, etag: string | undefined): Promise<Reply | Retry> {
  const { base, key, userAgent, fetch, signal, now, ticks } = state.options
  await waitForSlot(state)
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
    if (wait !== undefined) pause(state, wait)
    const reply = await read(base, path, response, wait !== undefined)
    state.lastResponse = ticks()
    return reply
  } catch (error) {
    if (error instanceof SourceError || error instanceof ResponseError) throw error
    signal.throwIfAborted()
    return { retry: (error as Error).message, waited: false }
  }
}

async function waitForSlot(state: State): Promise<void> {
  const { rate, ticks, sleep, signal } = state.options
  for (;;) {
    const slot = Math.max(state.nextSlot, state.pausedUntil, ticks())
    state.nextSlot = slot + 1000 / rate
    const wait = slot - ticks()
    if (wait > 0) await sleep(wait)
    signal.throwIfAborted()
    // A response may have paused all requests during the sleep.
    if (slot >= state.pausedUntil) return
  }
}

function pause(state: State, milliseconds: number): void {
  const end = state.options.ticks() + Math.min(milliseconds, LONGEST_WAIT)
  state.pausedUntil = Math.max(state.pausedUntil, end)
}

async function read(
  base: string,
  path: string,
  response: Response,
  hasRetryTime: boolean,
): Promise<Reply | Retry> {
  const { status } = response
  if (status === 200) {
    const text = await readText(path, response)
    const { headers } = response
    const [etag, location] = [headers.get('ETag') ?? '', headers.get('Content-Location') ?? '']
    return { status, body: JSON.parse(text), etag, location }
  }
  await response.body?.cancel()
  if (status === 304) return { status }
  // A brownout. It says nothing about a passport.
  if (status === 410 && response.headers.has('Retry-After'))
    throw new SourceError(`${base} is switched off for a while (410). Run the command again later.`)
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

function giveUp({ options, lastResponse }: State, path: string, tries: number, last: string): Error {
  const { base, ticks } = options
  const problem = `no valid response after ${tries} attempts, the last: ${last}`
  if (lastResponse === undefined) return new SourceError(`${base}: ${problem}. Check the URL.`)
  if (ticks() - lastResponse > LONGEST_OUTAGE)
    return new SourceError(`${base} stopped responding: ${problem}. Run the command again later.`)
  return new ResponseError(`${path}: ${problem}`)
}

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
  if (declared !== null && !encoded && Number(declared) !== size)
    throw new Error('the response is incomplete')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}

/** The delay that the source requests, in milliseconds. */
function readWait(headers: Headers, now: number): number | undefined {
  const after = headers.get('Retry-After')
  if (after !== null) {
    const wait = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - now
    if (wait > 0) return wait
  }
  // The drafts differ: `"default";r=0;t=5` per policy, `remaining=0, reset=5`, or one header for each value.
  const limit =
    headers.get('RateLimit') ??
    `remaining=${headers.get('RateLimit-Remaining')}, reset=${headers.get('RateLimit-Reset')}`
  const policies = limit.includes('remaining=') ? [limit] : limit.split(',')
  const resets = policies
    .filter((policy) => /(?:^|[;,\s])r(?:emaining)?=0\b/.test(policy))
    .map((policy) => Number(/(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(policy)?.[1] ?? 0))
  return Math.max(0, ...resets) * 1000 || undefined
}
