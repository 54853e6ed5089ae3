import { STATUS_CODES } from 'node:http'
import { type ErrorCode, ServiceError, STATUS_OF } from '../../domain/errors.ts'
import type { WireProblem } from '../../domain/v3/schemas.ts'
import { type ErrorResponse, errorHeaders, publicError } from '../errors.ts'

const DETAILS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'The header X-API-KEY must have a valid key.',
}

/** The error response of v3 (RFC 9457). */
export function presentProblem(error: unknown, requestId: string): ErrorResponse {
  const { code, message } = publicError(error)
  const status = STATUS_OF[code]
  const { invalid = [], members = {} } = error instanceof ServiceError ? error : {}
  // Node has the old name of 413.
  const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? '')
  const problem: WireProblem = {
    type: 'about:blank',
    title,
    status,
    detail: DETAILS[code] ?? message,
    code,
    request_id: requestId,
    errors: [...invalid],
  }
  return {
    status,
    headers: errorHeaders(error, code, 'application/problem+json'),
    body: JSON.stringify({ ...problem, ...members }),
  }
}
