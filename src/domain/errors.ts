export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'before_history'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'ambiguous'
  | 'precondition_failed'
  | 'content_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'brownout'
  | 'removed'
  | 'cursor_expired'
  | 'overloaded'
  | 'not_ready'
  | 'unavailable'
  | 'internal'

/** One invalid value. `pointer` is a JSON Pointer into the body, such as `#/keys/3`, or `?` and the name of a parameter. */
export type InvalidValue = { pointer: string; detail: string }

type ServiceErrorOptions = ErrorOptions & {
  headers?: Record<string, string>
  /** All invalid values; in problem+json only. */
  invalid?: readonly InvalidValue[]
  /** Further members of problem+json. */
  members?: Readonly<Record<string, unknown>>
}

/** An expected error: a stable code and a sentence for the client. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  readonly invalid: readonly InvalidValue[]
  readonly members: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options)
    this.name = 'ServiceError'
    this.code = code
    this.headers = options.headers ?? {}
    this.invalid = options.invalid ?? []
    this.members = options.members ?? {}
  }
}

/** What is wrong with the files of a database. */
export type FileFault = 'damaged' | 'replaced'

/** A fault that an operator must repair. `/ready` reports it until the process is restarted. */
export class FileFaultError extends ServiceError {
  readonly fault: FileFault

  constructor(fault: FileFault, message: string, options: ErrorOptions = {}) {
    super('unavailable', message, options)
    this.fault = fault
  }
}

/** Existing clients compare this sentence: it must not change. */
export const notFound = (message = 'Resource not found.') => new ServiceError('not_found', message)

export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export const overloaded = (message = 'Too many requests are being processed. Try again shortly.') =>
  new ServiceError('overloaded', message)

export const unauthorized = () => new ServiceError('unauthorized', 'Unauthorized request.')

/** A valid command that cannot be carried out; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

export const isExpected = (error: unknown): error is ServiceError | CommandError =>
  error instanceof ServiceError || error instanceof CommandError

/** For the log: the sentence of an expected error, the stack of any other. */
export function describeError(error: unknown): string {
  if (isExpected(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
