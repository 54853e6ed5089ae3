import { type ErrorCode, ServiceError } from '../domain/errors.ts'
import type { TextAnswer } from './answer.ts'
import { METHODS } from './cors.ts'

export const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  uri_too_long: 414,
  rate_limited: 429,
  brownout: 410,
  removed: 410,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} satisfies Record<ErrorCode, number>

const RETRY_SECONDS = '2'

const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'WWW-Authenticate': 'ApiKey realm="passportd", header="X-API-KEY"' },
  method_not_allowed: { Allow: METHODS },
  unavailable: { 'Retry-After': RETRY_SECONDS },
}

/** What the caller is told; the sentence of an error that is not theirs stays in the log. */
export function presentError(error: unknown, requestId: string): TextAnswer {
  const { code, message } = publicError(error)
  return {
    status: STATUS[code],
    headers: {
      ...HEADERS[code],
      ...(error instanceof ServiceError && error.headers),
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
    },
    body: JSON.stringify({ error: message, code, request_id: requestId }),
  }
}

/** The code and sentence that may be told. */
export function publicError(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof ServiceError))
    return { code: 'internal', message: 'Something went wrong on our side.' }
  if (error.code === 'unavailable') {
    return { code: 'unavailable', message: 'The service cannot reach its data right now. Try again shortly.' }
  }
  return error
}
