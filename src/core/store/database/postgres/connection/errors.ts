import { SQL } from 'bun'
import { ServiceError, unavailable } from '../../../../basics/errors.ts'

/**
 * SQLSTATE codes of failures outside this program: connection, authorization, missing database, rollback by the
 * server, resources, shutdown or timeout, system, damage, read-only server, and a pooler that mixes up prepared
 * statements.
 */
const SERVER_ERRORS = /^(08|28|3D|40|53|57|58|XX00[12]|25006|26000|42P05)/

const TLS_ERRORS = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL|HOSTNAME_MISMATCH)/

function isServerError(error: unknown): error is ServerError {
  if (!(error instanceof Error)) return false
  const { code = '', errno } = error as ServerError
  if (TLS_ERRORS.test(code)) return true
  if (!(error instanceof SQL.PostgresError)) return /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_|EPIPE|EHOST)/.test(code)
  if (errno !== undefined && /SERVER_ERROR/.test(code)) return SERVER_ERRORS.test(String(errno))
  return !/SYNTAX|INVALID_QUERY|TYPE|ARGUMENT/.test(code)
}

/** Whether the connection broke, so that other connections may be broken, too. */
export function isLost(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error
  return isServerError(cause) && /^(08|57P|$)/.test(cause.errno ?? '')
}

export const isReadOnly = (error: unknown): boolean => (error as { errno?: unknown }).errno === '25006'

/** Turns errors of the server into `unavailable` with a message for the operator; returns other errors unchanged. */
export function toServiceError(name: string, error: unknown): unknown {
  if (!isServerError(error)) return error
  return isReadOnly(error)
    ? readOnlyError(name, error)
    : unavailable(explainServerError(name, error), { cause: error })
}

export const readOnlyError = (name: string, cause?: unknown): ServiceError =>
  unavailable(
    `${name} is read-only: DATABASE_URL must name the primary, a replica belongs in DATABASE_READ_URL.`,
    { cause },
  )

type ServerError = Error & { errno?: string; code?: string }

function explainServerError(name: string, { message, errno = '', code = '' }: ServerError): string {
  if (/^28/.test(errno)) return `${name} refuses the user or password of its address: ${message}.`
  if (/^3D/.test(errno)) return `${name} cannot be used: ${message}. Create it first: createdb.`
  if (TLS_ERRORS.test(code) || /TLS/.test(code)) {
    return `${name} cannot be reached securely: ${message}. See sslmode and sslrootcert in docs/scale.md.`
  }
  if (/^(26000|42P05)/.test(errno)) {
    return `${name} is reached through a pooler that mixes up prepared statements: add prepare=false to its address.`
  }
  if (/unsupported startup parameter/.test(message)) {
    return `${name} is reached through a pooler that refuses our settings: ${message}. See ignore_startup_parameters in docs/scale.md.`
  }
  if (/^57014/.test(errno)) return `${name} took too long: ${message}.`
  return `${name} is unavailable: ${message}.`
}
