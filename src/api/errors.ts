import { type ErrorCode, ServiceError } from '../domain/errors.ts'
import { baseHeaders } from './response.ts'

export const STATUS_OF = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  before_history: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  ambiguous: 409,
  precondition_failed: 412,
  content_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  brownout: 410,
  removed: 410,
  cursor_expired: 410,
  internal: 500,
  overloaded: 503,
  not_ready: 503,
  unavailable: 503,
} satisfies Record<ErrorCode, number>

const RETRY_SECONDS = '2'

const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'WWW-Authenticate': 'ApiKey realm="passportd", header="X-API-KEY"' },
  overloaded: { 'Retry-After': RETRY_SECONDS },
  not_ready: { 'Retry-After': RETRY_SECONDS },
  unavailable: { 'Retry-After': RETRY_SECONDS },
}

export type ErrorResponse = { status: number; headers: Record<string, string>; body: string }

/** The error response. Messages of internal errors go to the log only. */
export function presentError(error: unknown, requestId: string): ErrorResponse {
  const { code, message } = publicError(error)
  return {
    status: STATUS_OF[code],
    headers: errorHeaders(error, code, 'application/json'),
    body: JSON.stringify({ error: message, code, request_id: requestId }),
  }
}

export const errorHeaders = (error: unknown, code: ErrorCode, type: string) => ({
  ...HEADERS[code],
  ...(error instanceof ServiceError && error.headers),
  'Content-Type': type,
  'Cache-Control': 'no-store',
})

export function publicError(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof ServiceError))
    return { code: 'internal', message: 'Something went wrong on our side.' }
  if (error.code === 'unavailable') {
    return { code: 'unavailable', message: 'The service cannot reach its data right now. Try again shortly.' }
  }
  return error
}

export function internalError(requestId: string): Response {
  const { status, headers, body } = presentError(undefined, requestId)
  return new Response(body, { status, headers: baseHeaders({ ...headers, 'X-Request-Id': requestId }) })
}
