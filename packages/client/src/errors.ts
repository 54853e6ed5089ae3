/** Error codes of the service and of the client. The service may add codes: handle an unknown one by its status. */
export type PassportErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'ambiguous'
  | 'precondition_failed'
  | 'content_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'brownout'
  | 'removed'
  | 'unavailable'
  | 'internal'
  /** No response within the timeout. */
  | 'timeout'
  /** The connection failed or broke. */
  | 'network'
  /** The response is not from the service: for example, the error page of a proxy. */
  | 'invalid_answer'

type Details = {
  status?: number | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

export class PassportError extends Error {
  override readonly name = 'PassportError'
  readonly code: PassportErrorCode
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined
  /** The Retry-After header, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(code: PassportErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
  }
}
