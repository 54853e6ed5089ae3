import type { Cache } from './cache.ts'
import { type Deprecation, readDeprecation } from './deprecation.ts'
import { PassportError, type PassportErrorCode } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type ClientOptions = {
  /** Where the service is, such as `https://passports.example`; `/api/v1` is added. */
  baseUrl: string | URL
  apiKey?: string | undefined
  /** The platform's own, unless another is given. */
  fetch?: Fetch
  /** How long one try may take, its body included; in milliseconds (10,000). */
  timeout?: number
  /** How many more times a request is tried that failed for no fault of the caller's (2). */
  retries?: number
  /** The longest wait before the next try; in milliseconds (30,000). Where the service asks for a longer one, the error is thrown at once. */
  longestWait?: number
  /** Answers that are the same as before are not sent again. None, unless one is given. */
  cache?: Cache
  /** Told what answers say of the end of the API, once for each thing they say. */
  onDeprecation?: (notice: Deprecation) => void
}

export type RequestOptions = { signal?: AbortSignal | undefined }

const FIRST_WAIT = 250

/** Timers that are set to more end at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Sends requests of one client: with its key, in time, again where that may help. */
export function createTransport(options: ClientOptions) {
  const { timeout = 10_000, retries = 2, longestWait = 30_000, cache, onDeprecation } = options
  const apiKey = options.apiKey?.trim()
  // Platforms refuse it too, some with the key in their sentence: only when it is sent, as if the service were away.
  if (apiKey !== undefined && !/^[\x20-\x7e]*$/.test(apiKey))
    throw new TypeError('apiKey holds a character that no key of the service has.')
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const base = `${withoutSlash(String(options.baseUrl))}/api/v1`
  if (!URL.canParse(base))
    throw new TypeError(`baseUrl must be an address such as https://host, got "${options.baseUrl}".`)
  const told = new Set<string>()

  function tell(answer: Response, url: string): void {
    const notice = onDeprecation && readDeprecation(answer.headers, url)
    if (!notice) return
    const text = JSON.stringify(notice)
    if (told.has(text)) return
    told.add(text)
    onDeprecation(notice)
  }

  /** One try; its body is read within the same time. */
  async function attempt(url: string, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    const kept = await cache?.get(url)
    signal?.throwIfAborted()
    const controller = new AbortController()
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    let isLate = false
    const timer = setTimeout(
      () => {
        isLate = true
        controller.abort()
      },
      Math.min(timeout, LONGEST_TIMER),
    )
    let answer: Response
    let body: string
    try {
      answer = await send(url, {
        headers: {
          Accept: 'application/json',
          ...(apiKey !== undefined && { 'X-API-KEY': apiKey }),
          ...(kept && { 'If-None-Match': kept.etag }),
        },
        signal: controller.signal,
        // The service never redirects, and the key is for it alone.
        redirect: 'error',
      })
      body = await answer.text()
    } catch (error) {
      if (isLate) throw new PassportError('timeout', `No answer within ${timeout} ms.`, { cause: error })
      signal?.throwIfAborted()
      throw new PassportError('network', `The service could not be reached: ${messageOf(error)}`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    // What fails from here on is the caller's own: it is thrown as it is, and nothing is sent again.
    tell(answer, url)
    if (answer.status === 304 && kept) return kept.body
    if (!answer.ok) throw readError(answer, body)
    const etag = answer.headers.get('ETag')
    if (cache && etag !== null) await cache.set(url, { etag, body })
    return body
  }

  return {
    /** The value that an answer holds under a name. */
    async get<T>(path: string, name: string, { signal }: RequestOptions): Promise<T> {
      const url = base + path
      for (let failures = 0; ; failures++) {
        try {
          return readBody<T>(await attempt(url, signal), name)
        } catch (error) {
          if (!(error instanceof PassportError) || !mayPass(error) || failures >= retries) throw error
          const wait = error.retryAfter ?? FIRST_WAIT * 2 ** failures * (0.5 + Math.random() / 2)
          if (wait > longestWait) throw error
          await sleep(wait, signal)
        }
      }
    },
  }
}

const withoutSlash = (text: string): string => (text.endsWith('/') ? withoutSlash(text.slice(0, -1)) : text)

/** Whether the same request may be answered later: nothing that the caller has to mend first. */
const mayPass = ({ status, code }: PassportError) =>
  status === undefined ? code !== 'invalid_answer' : status >= 500 || status === 429

function readBody<T>(body: string, name: string): T {
  const value: unknown = parse(body)
  if (typeof value !== 'object' || value === null || !(name in value))
    throw new PassportError(
      'invalid_answer',
      `The answer has no "${name}": is this the address of the service?`,
    )
  return value as T
}

function readError(answer: Response, body: string): PassportError {
  const { error, code, request_id } = (parse(body) ?? {}) as Record<string, unknown>
  const details = {
    status: answer.status,
    requestId:
      typeof request_id === 'string' ? request_id : (answer.headers.get('X-Request-Id') ?? undefined),
    retryAfter: readRetryAfter(answer.headers.get('Retry-After')),
  }
  return typeof code === 'string' && typeof error === 'string'
    ? new PassportError(code as PassportErrorCode, error, details)
    : new PassportError('invalid_answer', `Status ${answer.status}, and no error of the service.`, details)
}

/** Seconds, or a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = promiseWithResolvers()
  const timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER))
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Node 20 has none of its own. */
function promiseWithResolvers() {
  let resolve: () => void = () => undefined
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<void>((onDone, onFailed) => {
    resolve = onDone
    reject = onFailed
  })
  return { promise, resolve, reject }
}
