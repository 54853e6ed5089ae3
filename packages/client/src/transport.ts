import type { Cache } from './cache.ts'
import { type Deprecation, readDeprecation } from './deprecation.ts'
import { PassportError } from './errors.ts'
import { parseBody, toError } from './response.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type ClientOptions = {
  /** The URL of the service, such as `https://passports.example`; `/api` and the version are appended. */
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

/** A request with a body is a POST that only reads: it is retried like a GET. */
export type SendOptions = RequestOptions & { body?: unknown }

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

  async function read(url: string, { body: sent, signal }: SendOptions): Promise<string> {
    const cached = sent === undefined ? await cache?.get(url) : undefined
    const init = sent === undefined ? { headers } : toPost(headers, sent)
    if (cached) init.headers = { ...headers, 'If-None-Match': cached.etag }
    const { response, body } = await exchange(send, url, init, timeout, signal, (response) => response.text())
    // Outside of exchange(): errors of the user's callback or cache are rethrown unchanged, without a retry.
    notify(response, url)
    if (response.status === 304 && cached) return cached.body
    if (!response.ok) throw toError(response, body)
    const etag = response.headers.get('ETag')
    if (etag !== null && sent === undefined) await cache?.set(url, { etag, body })
    return body
  }

  /** Waits for the next attempt. Throws the error if it is permanent, or after `most` failures. */
  async function waitAfter(
    error: unknown,
    failures: number,
    most: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (!(error instanceof PassportError) || !isTemporary(error) || failures >= most) throw error
    if ((error.retryAfter ?? 0) > maxDelay) throw error
    const delay = error.retryAfter ?? FIRST_DELAY * 2 ** failures * (0.5 + Math.random() / 2)
    await sleep(Math.min(delay, maxDelay), signal)
  }

  return {
    retries,
    waitAfter,
    /** The body of a successful response; `field` distinguishes it from other JSON. */
    async send<T>(path: string, field: string, options: SendOptions): Promise<T> {
      for (let failures = 0; ; failures++) {
        try {
          return parseBody<T>(await read(base + path, options), field)
        } catch (error) {
          await waitAfter(error, failures, retries, options.signal)
        }
      }
    },
    /** Opens an event stream. The timeout ends with the headers of the response. */
    async open(path: string, { signal }: RequestOptions): Promise<ReadableStream<Uint8Array>> {
      const init = { headers: { ...headers, Accept: 'text/event-stream' } }
      const isStream = ({ headers }: Response) =>
        headers.get('Content-Type')?.startsWith('text/event-stream') === true
      const { response, body } = await exchange(send, base + path, init, timeout, signal, (response) =>
        response.ok && isStream(response) ? '' : response.text(),
      )
      if (!response.ok) throw toError(response, body)
      if (isStream(response) && response.body) return response.body
      throw new PassportError('invalid_answer', 'The response is not an event stream: check baseUrl.')
    },
  }
}

function toPost(headers: Record<string, string>, body: unknown) {
  return {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
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

/** One request and its response, as far as `readBody` reads it. */
async function exchange(
  send: Fetch,
  url: string,
  init: RequestInit,
  timeout: number,
  signal: AbortSignal | undefined,
  readBody: (response: Response) => string | Promise<string>,
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
    return { response, body: await readBody(response) }
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
