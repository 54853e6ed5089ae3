import { describeUnknown } from './text/nearest-name.ts'
import { quote } from './text/quote.ts'

/** The HTTP status of each error code. */
export const STATUS_OF = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  before_history: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  ambiguous: 409,
  calculating: 409,
  precondition_failed: 412,
  content_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  brownout: 410,
  removed: 410,
  cursor_expired: 410,
  internal: 500,
  overloaded: 503,
  not_ready: 503,
  unavailable: 503,
  behind: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/**
 * One invalid value. `pointer` is a JSON Pointer into the body, such as `#/keys/3`, or `?` and the name of a parameter.
 * With `line`, the value is in this record of the body.
 */
export type InvalidValue = { pointer: string; detail: string; line?: number }

type ServiceErrorOptions = ErrorOptions & {
  headers?: Record<string, string>
  /** The invalid values. Only problem+json responses contain them. */
  invalid?: readonly InvalidValue[]
  /** Additional members of the problem+json body. */
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

/** Existing clients compare this sentence, so it must not change. */
export const notFound = (message = 'Resource not found.') => new ServiceError('not_found', message)

export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export const overloaded = (message = 'Too many requests are being processed. Try again shortly.') =>
  new ServiceError('overloaded', message)

/** The database or another service does not work. The message is for the operator. */
export const unavailable = (message: string, options?: ErrorOptions) =>
  new ServiceError('unavailable', message, options)

export const KEY_NEEDED = 'The header X-API-KEY must have a valid key.'

export const NOT_SIGNED =
  'This service does not sign scores: its operator has not set SIGNING_KEYS_FILE, or not PUBLIC_URL.'

/** `keys` says how to get a key. Only problem+json contains it, because the message of V1 must not change. */
export const unauthorized = (keys?: string) =>
  new ServiceError('unauthorized', 'Unauthorized request.', {
    members: keys === undefined ? {} : { detail: `${KEY_NEEDED} How to get one: ${keys}` },
  })

/** A valid command that cannot be carried out; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

export const isExpected = (error: unknown): error is ServiceError | CommandError =>
  error instanceof ServiceError || error instanceof CommandError

/** Returns `undefined` if `work` fails. `onError` is called only with unexpected errors. */
export const attempt = <T>(work: () => T | Promise<T>, onError: (error: unknown) => void) =>
  Promise.try(work).catch((error) => {
    if (!isExpected(error)) onError(error)
    return undefined
  })

/** Returns the text for the log: the message of an expected error, or the stack of any other error. */
export function describeError(error: unknown): string {
  if (isExpected(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A 400 that lists the invalid values. Its message is the detail of the first one. */
export function invalidValues(values: readonly InvalidValue[]): ServiceError {
  return new ServiceError('invalid_request', values[0]?.detail ?? '', {
    invalid: values.slice(0, MOST_INVALID),
  })
}

/** Further invalid values are not reported. */
const MOST_INVALID = 20

export const LONGEST_POINTER = 60

/** Returns the JSON Pointer of a value in the body as a URI fragment; `#` if a name is long. */
export function pointerTo(...path: readonly (string | number)[]): string {
  const names = path.map(String)
  if (names.some((name) => name.length > LONGEST_POINTER || !name.isWellFormed())) return '#'
  const steps = names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
  return ['#', ...steps.map(encodeURIComponent)].join('/')
}

export const invalidValue = (pointer: string, detail: string) => invalidValues([{ pointer, detail }])

export const invalidParameter = (name: string, detail: string) => invalidValue(`?${name}`, detail)

/** Returns each unknown name once. Only the first name gets a suggestion, because finding a suggestion takes time. */
export function findUnknown(
  noun: string,
  names: readonly string[],
  known: readonly string[],
  pointerOf: (at: number) => string,
): InvalidValue[] {
  const unknown = new Map<string, InvalidValue>()
  for (const [at, name] of names.entries()) {
    if (unknown.has(name) || known.includes(name)) continue
    const detail =
      unknown.size === 0 ? describeUnknown(noun, name, known) : `${quote(name)} is not a known ${noun}.`
    unknown.set(name, { pointer: pointerOf(at), detail })
    if (unknown.size === MOST_INVALID) break
  }
  return [...unknown.values()]
}
