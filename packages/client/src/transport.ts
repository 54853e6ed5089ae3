import type { Cache } from './cache.ts'
import { PassportError } from './errors.ts'
import { backoff, exchange, type Fetch, parseBody, toError } from './exchange.ts'

export type ClientOptions = {
  /** The URL of the service, such as `https://passports.example`; `/api` and the version are appended. */
  baseUrl: string | URL
  apiKey?: string | undefined
  /** Replaces the fetch of the platform. */
  fetch?: Fetch
  /** Timeout of one attempt, body included, in milliseconds; default 10,000. */
  timeout?: number
  /** Number of retries after a failure that may be temporary; default 2. */
  retries?: number
  /** Longest delay before a retry, in milliseconds; default 30,000. If Retry-After is longer, throws at once. */
  longestWait?: number
  /** Revalidates responses by ETag. No cache by default. */
  cache?: Cache
  /** Called once for each distinct deprecation notice. */
  onDeprecation?: (notice: Deprecation) => void
}

/** The deprecation and removal of the API, as announced by response headers. */
export type Deprecation = {
  deprecatedAt: Date | undefined
  sunsetAt: Date | undefined
  /** URLs by relation: `deprecation`, `sunset`, `successor-version`. */
  links: Record<string, string>
}

export type RequestOptions = { signal?: AbortSignal | undefined }

const FIRST_DELAY = 250

const JSON_BODY = { 'Content-Type': 'application/json' }

/** setTimeout fires at once for longer delays. */
const MAX_TIMER = 2 ** 31 - 1

export type SendOptions = RequestOptions & {
  /** POST if there is a body, otherwise GET. */
  method?: string
  body?: unknown
  /** Whether sending the request twice has another effect than sending it once: it is not retried. */
  isOnce?: boolean
}

export type Transport = ReturnType<typeof createTransport>

/** Sends requests with the API key, a timeout and retries. Paths begin with the version. */
export function createTransport(options: ClientOptions) {
  const { retries = 2, cache } = options
  const timeout = Math.min(options.timeout ?? 10_000, MAX_TIMER)
  const maxDelay = Math.min(options.longestWait ?? 30_000, MAX_TIMER)
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const base = toApiUrl(options.baseUrl)
  const headers = toHeaders(options.apiKey)
  const notify = createNotifier(options.onDeprecation)

  async function read(url: string, { body: sent, signal, ...options }: SendOptions): Promise<string> {
    const { method = sent === undefined ? 'GET' : 'POST' } = options
    const cached = method === 'GET' ? await cache?.get(url) : undefined
    const init = {
      method,
      headers: {
        ...headers,
        ...(cached && { 'If-None-Match': cached.etag }),
        ...(sent !== undefined && JSON_BODY),
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    }
    const readBody = (response: Response) => response.text()
    const { response, body } = await exchange(url, init, { send, timeout, signal, readBody })
    // This is outside of exchange(), so that errors of the user's callback or cache are rethrown unchanged.
    notify(response, url)
    if (response.status === 304 && cached) return cached.body
    if (!response.ok) throw toError(response, body)
    const etag = response.headers.get('ETag')
    if (etag !== null && method === 'GET') await cache?.set(url, { etag, body })
    return body
  }

  /** Waits for the next attempt. Throws the error if it is permanent, or after `most` failures. */
  async function waitAfter(error: unknown, failures: number, most: number, signal?: AbortSignal) {
    if (!(error instanceof PassportError) || !isTemporary(error) || failures >= most) throw error
    if ((error.retryAfter ?? 0) > maxDelay) throw error
    // A Retry-After of 0 must not make a loop without pauses.
    const delay = error.retryAfter || backoff(FIRST_DELAY, failures, Number.POSITIVE_INFINITY, Math.random)
    await sleep(Math.min(delay, maxDelay), signal)
  }

  return {
    retries,
    waitAfter,
    /** Returns the parsed body of a successful response, which must have the field `field`. */
    async send<T>(path: string, field: string, options: SendOptions): Promise<T> {
      for (let failures = 0; ; failures++) {
        try {
          return parseBody<T>(await read(base + path, options), field)
        } catch (error) {
          await waitAfter(error, failures, options.isOnce ? 0 : retries, options.signal)
        }
      }
    },
    /** Opens an event stream. The timeout applies until the response headers arrive. */
    async open(path: string, { signal }: RequestOptions): Promise<ReadableStream<Uint8Array>> {
      const init = { headers: { ...headers, Accept: 'text/event-stream' } }
      const isStream = ({ headers }: Response) =>
        headers.get('Content-Type')?.startsWith('text/event-stream') === true
      const readBody = (response: Response) => (response.ok && isStream(response) ? '' : response.text())
      const { response, body } = await exchange(base + path, init, { send, timeout, signal, readBody })
      if (!response.ok) throw toError(response, body)
      if (isStream(response) && response.body) return response.body
      throw new PassportError('invalid_answer', 'The response is not an event stream: check baseUrl.')
    },
  }
}

function toApiUrl(baseUrl: string | URL): string {
  let base = String(baseUrl)
  while (base.endsWith('/')) base = base.slice(0, -1)
  if (!URL.canParse(base))
    throw new TypeError(`baseUrl must be a URL such as https://host, got "${baseUrl}".`)
  return `${base}/api`
}

function toHeaders(apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return { Accept: 'application/json' }
  const key = apiKey.trim()
  // Checked here, because some platforms throw an error that contains the key.
  if (!/^[\x20-\x7e]*$/.test(key))
    throw new TypeError('apiKey contains a character that is not printable ASCII.')
  return { Accept: 'application/json', 'X-API-KEY': key }
}

function createNotifier(onDeprecation: ClientOptions['onDeprecation']) {
  const reported = new Set<string>()
  return ({ headers }: Response, url: string): void => {
    const notice = onDeprecation && readDeprecation(headers, url)
    if (!notice) return
    const text = JSON.stringify(notice)
    if (reported.has(text)) return
    reported.add(text)
    onDeprecation(notice)
  }
}

/** Reads the Deprecation (RFC 9745), Sunset (RFC 8594) and Link headers; undefined without the first two. */
function readDeprecation(headers: Headers, url: string): Deprecation | undefined {
  const deprecation = headers.get('Deprecation')
  const sunset = headers.get('Sunset')
  if (deprecation === null && sunset === null) return undefined
  const seconds = /^@(-?\d{1,12})$/.exec(deprecation ?? '')?.[1]
  return {
    deprecatedAt: seconds === undefined ? undefined : new Date(Number(seconds) * 1000),
    sunsetAt: sunset === null || Number.isNaN(Date.parse(sunset)) ? undefined : new Date(sunset),
    links: readLinks(headers.get('Link') ?? '', url),
  }
}

function readLinks(text: string, base: string): Record<string, string> {
  const links = text.matchAll(/<([^<>]{1,2000})>[^<>"]{0,200}?rel="([\w-]{1,100})"/g)
  return Object.fromEntries(
    [...links]
      .filter(([, target = '']) => URL.canParse(target, base))
      .map(([, target = '', relation = '']) => [relation, new URL(target, base).href]),
  )
}

const isTemporary = ({ status, code }: PassportError) =>
  status === undefined ? code !== 'invalid_answer' : status >= 500 || status === 429

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}

type Value = string | number | boolean | Date | readonly string[] | undefined

/** Joins the values of a list with commas. Leaves out an empty list, which the service would refuse. */
export function toQuery(values: Record<string, Value>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) query.set(name, toText(value))
  return query.size === 0 ? '' : `?${query}`
}

export const toText = (value: NonNullable<Value>): string =>
  value instanceof Date ? value.toISOString() : String(value)

/** Encodes an id or another key for a path or query. Refuses an empty key, which would request the list. */
export function toSegment(key: number | string): string {
  const text = String(key ?? '').trim()
  if (text === '')
    throw new TypeError('A passport id, wallet, handle, stamp or subscription id must not be empty.')
  return encodeURIComponent(text)
}
