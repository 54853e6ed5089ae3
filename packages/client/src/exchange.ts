import { CursorExpiredError, type InvalidValue, PassportError, type PassportErrorCode } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

type Exchange<Body> = {
  send: Fetch
  /** Timeout in milliseconds for the response, `readBody` included. */
  timeout: number
  signal?: AbortSignal | undefined
  readBody: (response: Response) => Body | Promise<Body>
}

/** Sends one request, and reads its response with `readBody`. */
export async function exchange<Body>(url: string, init: RequestInit, options: Exchange<Body>) {
  const { send, timeout, signal, readBody } = options
  signal?.throwIfAborted()
  // AbortSignal.timeout() does not keep a Node process alive, and in Node 20 AbortSignal.any() leaks on a long-lived signal.
  const controller = new AbortController()
  const cancel = () => controller.abort(signal?.reason)
  const expire = () => controller.abort(new PassportError('timeout', `No response within ${timeout} ms.`))
  const timer = setTimeout(expire, timeout)
  signal?.addEventListener('abort', cancel)
  try {
    // Redirects are errors: the service sends none, and the key must not reach another host.
    const response = await send(url, { redirect: 'error', ...init, signal: controller.signal })
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

/** Converts the Retry-After header, which has seconds or an HTTP date, to milliseconds from now. */
export function parseRetryAfter({ headers }: Response, now: number): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The delay before a retry. It has jitter, so that clients that failed together do not retry together. */
export const backoff = (first: number, failures: number, longest: number, random: () => number): number =>
  Math.min(first * 2 ** failures, longest) * (0.5 + random() / 2)

/** Parses the body of a successful response, which must have the field `field`. */
export function parseBody<T>(body: string, field: string): T {
  const value = parseJson(body)
  if (typeof value === 'object' && value !== null && field in value) return value as T
  throw new PassportError(
    'invalid_answer',
    `The response has no "${field}": check that baseUrl is the URL of the service.`,
  )
}

/** V1 has the message in `error`, v3 in `detail`. */
export function toError(response: Response, body: string): PassportError {
  const fields = (parseJson(body) ?? {}) as Record<string, unknown>
  const { error, detail, code, request_id, errors, type, title, status: _, ...members } = fields
  const message = error ?? detail
  const { status } = response
  const details = {
    status,
    requestId:
      typeof request_id === 'string' ? request_id : (response.headers.get('X-Request-Id') ?? undefined),
    retryAfter: parseRetryAfter(response, Date.now()),
  }
  if (typeof code !== 'string' || typeof message !== 'string') {
    const problem = `Status ${status} without an error body of the service.`
    return new PassportError('invalid_answer', problem, details)
  }
  const Kind = code === 'cursor_expired' ? CursorExpiredError : PassportError
  const invalid = Array.isArray(errors) ? (errors as InvalidValue[]) : []
  return new Kind(code as PassportErrorCode, message, { ...details, errors: invalid, members })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
