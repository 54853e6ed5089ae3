import type { ServiceErrorCode } from './types.ts'

/** Error codes of the service and of the client. The service may add codes: handle an unknown one by its status. */
export type PassportErrorCode =
  | ServiceErrorCode
  /** No response within the timeout. */
  | 'timeout'
  /** The connection failed or broke. */
  | 'network'
  /** The response is not from the service: for example, the error page of a proxy. */
  | 'invalid_answer'

/** `pointer` is a JSON Pointer into the body, or `?` and the name of a parameter. `line` counts records from 1. */
export type InvalidValue = { pointer: string; detail: string; line?: number }

export class PassportError extends Error {
  override readonly name: string = 'PassportError'
  readonly code: PassportErrorCode
  /** HTTP status; undefined without a response. */
  readonly status?: number | undefined
  /** Identifies the request in the log of the service. */
  readonly requestId?: string | undefined
  /** The Retry-After header, in milliseconds. */
  readonly retryAfter?: number | undefined
  /** The invalid values of a request to v3. */
  readonly errors: readonly InvalidValue[] = []
  /** Further fields of a v3 error: `ambiguous` has `candidates`, and `before_history` has `known_since`. */
  readonly members: Readonly<Record<string, unknown>> = {}

  constructor(code: PassportErrorCode, message: string, { cause, ...details }: Details = {}) {
    super(message, { cause })
    this.code = code
    Object.assign(this, details)
  }
}

type Details = Partial<Omit<PassportError, keyof Error | 'code'>> & ErrorOptions

/** Some events after the cursor are not available. Read the passports again, and continue after `oldestCursor`. */
export class CursorExpiredError extends PassportError {
  override readonly name = 'CursorExpiredError'

  get oldestCursor(): string {
    return String(this.members.oldest_cursor)
  }
}
