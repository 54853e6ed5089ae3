import Type from 'typebox'
import { type ErrorCode, ServiceError, STATUS_OF } from '../basics/errors.ts'
import { describedObject } from '../basics/schema-helpers.ts'

const RETRY_SECONDS = '2'

const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'WWW-Authenticate': 'ApiKey realm="passportd", header="X-API-KEY"' },
  calculating: { 'Retry-After': RETRY_SECONDS },
  overloaded: { 'Retry-After': RETRY_SECONDS },
  not_ready: { 'Retry-After': RETRY_SECONDS },
  unavailable: { 'Retry-After': RETRY_SECONDS },
  behind: { 'Retry-After': RETRY_SECONDS },
}

export const ErrorBody = describedObject('The body of every error', {
  error: Type.String({ description: 'A message for people' }),
  code: Type.String({ description: 'Stable, for programs' }),
  request_id: Type.String({ description: 'Identifies the request in the log of the service' }),
})

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

export type PublicError = { code: ErrorCode; message: string }

export function publicError(error: unknown): PublicError {
  if (!(error instanceof ServiceError))
    return { code: 'internal', message: 'Something went wrong on our side.' }
  if (error.code === 'unavailable') {
    return { code: 'unavailable', message: 'The service cannot reach its data right now. Try again shortly.' }
  }
  return error
}
