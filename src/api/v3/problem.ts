import { type ErrorCode, ServiceError } from '../../domain/errors.ts'
import type { WireProblem } from '../../domain/v3/schemas.ts'
import { type ErrorResponse, errorHeaders, publicError, STATUS_OF } from '../errors.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** The names of the statuses in RFC 9110. */
export const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

const DETAILS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'The header X-API-KEY must have a valid key.',
}

/** The error response of v3 (RFC 9457). */
export function presentProblem(error: unknown, requestId: string): ErrorResponse {
  const { code, message } = publicError(error)
  const status = STATUS_OF[code]
  const { invalid = [], members = {} } = error instanceof ServiceError ? error : {}
  const problem: WireProblem = {
    type: 'about:blank',
    title: TITLES[status] ?? '',
    status,
    detail: DETAILS[code] ?? message,
    code,
    request_id: requestId,
    errors: [...invalid],
  }
  return {
    status,
    headers: errorHeaders(error, code, PROBLEM_TYPE),
    body: JSON.stringify({ ...problem, ...members }),
  }
}
