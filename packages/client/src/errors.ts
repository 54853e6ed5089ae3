/** What the service says, and what happens on the way to it. New codes may come: treat one you do not know by its status. */
export type PassportErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'uri_too_long'
  | 'rate_limited'
  | 'brownout'
  | 'removed'
  | 'unavailable'
  | 'internal'
  /** No answer in time. */
  | 'timeout'
  /** No connection, or one that broke. */
  | 'network'
  /** An answer that is not one of the service, such as a proxy's page. */
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
  /** Of the answer, where there was one. */
  readonly status: number | undefined
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  /** In how many milliseconds the service would have it tried again. */
  readonly retryAfter: number | undefined

  constructor(
    code: PassportErrorCode,
    message: string,
    { status, requestId, retryAfter, cause }: Details = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}
