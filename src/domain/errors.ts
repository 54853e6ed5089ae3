export type ErrorCode =
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

/** An error we expect: a stable code, and a sentence for whoever caused it. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** For the answer, beside those that its code always has. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    super(message, options)
    this.name = 'ServiceError'
    this.code = code
    this.headers = options.headers ?? {}
  }
}

/** Existing clients compare this sentence: it may never change. */
export const notFound = () => new ServiceError('not_found', 'Resource not found.')

/** The client disconnected before its response was ready. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export const unauthorized = () => new ServiceError('unauthorized', 'Unauthorized request.')

/** The command was right, and cannot be done; the message says why and what would help. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
