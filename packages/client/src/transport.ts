import type { Cache } from './cache.ts'
import { type Deprecation, readDeprecation } from './deprecation.ts'
import { PassportError } from './errors.ts'
import { parseBody, toError } from './response.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type ClientOptions = {
  /** The URL of the service, such as `https://passports.example`; `/api/v1` is appended. */
  baseUrl: string | URL
  apiKey?: string | undefined
  /** Replaces the fetch of the platform. */
  fetch?: Fetch
  /** Timeout of one attempt, body included, in milliseconds (10,000). */
  timeout?: number
  /** Further attempts after a failure that may be temporary (2). */
  retries?: number
  /** The longest delay before a retry, in milliseconds (30,000). A longer Retry-After throws the error at once. */
  longestWait?: number
  /** Revalidates responses by ETag. No cache by default. */
  cache?: Cache
  /** Called once for each distinct deprecation notice. */
  onDeprecation?: (notice: Deprecation) => void
}

export type RequestOptions = { signal?: AbortSignal | undefined }

const FIRST_DELAY = 250

/** setTimeout fires at once for longer delays. */
const MAX_TIMER = 2 ** 31 - 1

/** Returns a function that sends GET requests with the API key, a timeout and retries. */
export function createTransport(options: ClientOptions) {
  const { retries = 2, cache } = options
  const timeout = Math.min(options.timeout ?? 10_000, MAX_TIMER)
  const maxDelay = Math.min(options.longestWait ?? 30_000, MAX_TIMER)
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const base = toApiUrl(options.baseUrl)
  const headers = toHeaders(options.apiKey)
  const notify = createNotifier(options.onDeprecation)

  async function attempt(url: string, signal: AbortSignal | undefined): Promise<string> {
    const cached = await cache?.get(url)
    const init = { headers: cached ? { ...headers, 'If-None-Match': cached.etag } : headers }
    const { response, body } = await exchange(send, url, init, timeout, signal)
    // Outside of exchange(): errors of the user's callback or cache are rethrown unchanged, without a retry.
    notify(response, url)
    if (response.status === 304 && cached) return cached.body
    if (!response.ok) throw toError(response, body)
    const etag = response.headers.get('ETag')
    if (etag !== null) await cache?.set(url, { etag, body })
    return body
  }

  return async function get<T>(path: string, field: string, { signal }: RequestOptions): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return parseBody<T>(await attempt(base + path, signal), field)
      } catch (error) {
        if (!(error instanceof PassportError) || !isTemporary(error) || failures >= retries) throw error
        const delay = error.retryAfter ?? FIRST_DELAY * 2 ** failures * (0.5 + Math.random() / 2)
        if (delay > maxDelay) throw error
        await sleep(delay, signal)
      }
    }
  }
}

function toApiUrl(baseUrl: string | URL): string {
  let base = String(baseUrl)
  while (base.endsWith('/')) base = base.slice(0, -1)
  if (!URL.canParse(base))
    throw new TypeError(`baseUrl must be a URL such as https://host, got "${baseUrl}".`)
  return `${base}/api/v1`
}

function toHeaders(apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return { Accept: 'application/json' }
  const key = apiKey.trim()
  // Checked here because the error of some platforms contains the key.
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

/** One request and its whole response. */
async function exchange(
  send: Fetch,
  url: string,
  init: RequestInit,
  timeout: number,
  signal: AbortSignal | undefined,
) {
  signal?.throwIfAborted()
  // AbortSignal.timeout() does not keep a Node process alive, and in Node 20 AbortSignal.any() leaks on a long-lived signal.
  const controller = new AbortController()
  const cancel = () => controller.abort(signal?.reason)
  const expire = () => controller.abort(new PassportError('timeout', `No response within ${timeout} ms.`))
  const timer = setTimeout(expire, timeout)
  signal?.addEventListener('abort', cancel)
  try {
    // Redirects are errors: the service sends none, and no other host may see the key.
    const response = await send(url, { ...init, signal: controller.signal, redirect: 'error' })
    return { response, body: await response.text() }
  } catch (error) {
    controller.signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    throw new PassportError('network', `The service could not be reached: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

const isTemporary = ({ status, code }: PassportError) =>
  status === undefined ? code !== 'invalid_answer' : status >= 500 || status === 429

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const cancel = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', cancel, { once: true })
  })
}
