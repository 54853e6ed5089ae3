export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'precondition_failed'
  | 'uri_too_long'
  | 'rate_limited'
  | 'brownout'
  | 'removed'
  | 'unavailable'
  | 'internal'

/** An expected error: a stable code and a sentence for the client. */
export class ServiceError extends Error {
  readonly code: ErrorCode
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

/** Existing clients compare this sentence: it must not change. */
export const notFound = () => new ServiceError('not_found', 'Resource not found.')

export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export const unauthorized = () => new ServiceError('unauthorized', 'Unauthorized request.')

/** A valid command that cannot be carried out; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
