import { CursorExpiredError, type InvalidValue, PassportError, type PassportErrorCode } from './errors.ts'
import { parseRetryAfter } from './exchange.ts'

/** Parses a successful response; `field` distinguishes it from other JSON. */
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
  const { error, detail, code, request_id, errors, type, title, status: _, ...members } = toRecord(body)
  const message = error ?? detail
  const { status } = response
  const details = {
    status,
    requestId:
      typeof request_id === 'string' ? request_id : (response.headers.get('X-Request-Id') ?? undefined),
    retryAfter: parseRetryAfter(response, Date.now()),
  }
  if (typeof code !== 'string' || typeof message !== 'string')
    return new PassportError(
      'invalid_answer',
      `Status ${status} without an error body of the service.`,
      details,
    )
  const Kind = code === 'cursor_expired' ? CursorExpiredError : PassportError
  const invalid = Array.isArray(errors) ? (errors as InvalidValue[]) : []
  return new Kind(code as PassportErrorCode, message, { ...details, errors: invalid, members })
}

const toRecord = (body: string) => (parseJson(body) ?? {}) as Record<string, unknown>

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
