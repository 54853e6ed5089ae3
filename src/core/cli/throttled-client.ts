import { backoff, exchange, type Fetch, parseRetryAfter } from '../../../packages/client/src/exchange.ts'
import { CommandError } from '../basics/errors.ts'

export type ThrottleOptions = {
  base: string
  key: string | undefined
  userAgent: string
  rate: number
  fetch: Fetch
  /** Must end early when the signal is aborted. */
  sleep: (milliseconds: number) => Promise<void>
  now: () => number
  /** Monotonic clock in milliseconds: the wall clock may be set back. */
  ticks: () => number
  random: () => number
  signal: AbortSignal
}

type Reply = { status: 200; body: unknown; etag: string; location: string } | { status: 304 | 404 }

/** The source is unavailable or rejects all requests; a retry does not help. */
export class SourceError extends CommandError {
  override readonly name = 'SourceError'
}

/** One request failed; other requests may succeed. */
export class ResponseError extends CommandError {
  override readonly name = 'ResponseError'
}

const TIMEOUT = 30_000
const ATTEMPTS = 8
/** The attempts of a request while the source has never responded: its URL is probably wrong. */
const FIRST_ATTEMPTS = 3
/** If the source has not responded to any request for this long, a failed request aborts the whole run. */
const LONGEST_OUTAGE = 600_000
/** A request may be rate-limited this many times. These attempts do not count as failures. */
const WAITS = 100
const FIRST_BACKOFF = 500
const LONGEST_BACKOFF = 30_000
const LONGEST_WAIT = 3600_000
const LARGEST_BODY = 8 * 1024 * 1024

/** The state that all requests share. Times are those of `ticks`. */
type State = {
  options: ThrottleOptions
  nextSlot: number
  pausedUntil: number
  lastResponse: number | undefined
}

/**
 * Sends GET requests to a V1 service, with a rate limit, Retry-After support and retries. Throws a `SourceError` or a
 * `ResponseError`.
 */
export function createThrottledGet(options: ThrottleOptions) {
  const state: State = { options, nextSlot: 0, pausedUntil: 0, lastResponse: undefined }
  return (path: string, etag?: string) => get(state, path, etag)
}

async function get(state: State, path: string, etag: string | undefined): Promise<Reply> {
  const { ticks, sleep, random } = state.options
  let failures = 0
  let waits = 0
  for (;;) {
    const reply = await requestOnce(state, path, etag)
    if (reply.retry === undefined) return reply
    if (reply.waited) waits++
    else failures++
    const attempts = state.lastResponse === undefined ? FIRST_ATTEMPTS : ATTEMPTS
    if (failures >= attempts || waits >= WAITS) throw giveUp(state, path, failures + waits, reply.retry)
    const delay = backoff(FIRST_BACKOFF, Math.max(failures, waits), LONGEST_BACKOFF, random)
    if (!reply.waited) await sleep(delay)
    else if (state.pausedUntil <= ticks()) pause(state, delay)
  }
}

async function requestOnce(state: State, path: string, etag: string | undefined) {
  const { base, key, userAgent, fetch: send, signal, now, ticks } = state.options
  await waitForSlot(state)
  const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': userAgent }
  if (key !== undefined) headers['X-API-KEY'] = key
  if (etag) headers['If-None-Match'] = etag
  const readBody = (response: Response) => readJsonBody(path, response)
  try {
    const init = { headers, redirect: 'manual' as const }
    const { response, body } = await exchange(base + path, init, { send, timeout: TIMEOUT, signal, readBody })
    const wait = readWait(response, now())
    if (wait !== undefined) pause(state, wait)
    state.lastResponse = ticks()
    return toReply(base, path, response, body, wait !== undefined)
  } catch (error) {
    const cause = (error as Error).cause ?? error
    if (cause instanceof SourceError || cause instanceof ResponseError) throw cause
    signal.throwIfAborted()
    return { retry: (cause as Error).message, waited: false }
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

function toReply(base: string, path: string, { status, headers }: Response, body: unknown, isTimed: boolean) {
  const read = (name: string) => headers.get(name) ?? ''
  if (status === 200)
    return { status: 200 as const, body, etag: read('ETag'), location: read('Content-Location') }
  if (status === 304) return { status: 304 as const }
  // A 410 with Retry-After is a brownout of the whole API, so the passport may still exist.
  if (status === 410 && headers.has('Retry-After'))
    throw new SourceError(`${base} is switched off for a while (410). Run the command again later.`)
  if (status === 404 || status === 410) return { status: 404 as const }
  if (status === 429 || status >= 500) return { retry: `status ${status}`, waited: status === 429 || isTimed }
  if (status === 401 || status === 403)
    throw new SourceError(`${base} rejected the request (${status}). Pass a valid API key.`)
  if (status >= 300 && status < 400) {
    const place = URL.parse(read('Location'), base + path)
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

/** Parses the body of a 200; other bodies are discarded. */
async function readJsonBody(path: string, response: Response): Promise<unknown> {
  if (response.status !== 200) return response.body?.cancel()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LARGEST_BODY)
      throw new ResponseError(`${path}: the response is larger than ${LARGEST_BODY / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  // A truncated body throws, because incomplete JSON is never valid.
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
}

/** The delay that the source requests, in milliseconds: `Retry-After`, or a policy such as `"burst";r=0;t=5`. */
function readWait(response: Response, now: number): number | undefined {
  const policies = (response.headers.get('RateLimit') ?? '').split(',')
  const resets = policies
    .filter((policy) => /;\s*r=0\b/.test(policy))
    .map((policy) => Number(/;\s*t=(\d+)/.exec(policy)?.[1] ?? 0) * 1000)
  return parseRetryAfter(response, now) || Math.max(...resets, 0) || undefined
}
