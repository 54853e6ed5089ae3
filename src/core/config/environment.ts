import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, NAMES } from './config.ts'
import type { Environment } from './secrets.ts'

export const ENV_FILE = '.env'

/** Matches a comment, or NAME=value, where a quoted value ends on the same line. */
const ENV_LINE = /^(?:#.*|(?:export\s+)?[\w.-]+\s*=\s*(?:(["'`]).*?\1.*|[^"'`].*)?)?$/

/**
 * Returns the variables of `.env` in the working directory, with literal values: Bun would expand "$". They are not set
 * in the environment of the process, where some names change how connections are made and checked.
 */
export function readEnvFile(): Environment {
  const file = openEnvFile()
  if (file === undefined) return {}
  try {
    checkFile(fstatSync(file))
    const text = readFileSync(file, 'utf8')
    checkLines(text)
    return parseEnv(text)
  } finally {
    closeSync(file)
  }
}

export const unknownNames = (variables: Environment) =>
  Object.keys(variables).filter((name) => !NAMES.includes(name))

/** Opening a named pipe would otherwise wait for a writer. */
function openEnvFile(): number | undefined {
  try {
    return openSync(ENV_FILE, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ConfigError([`${ENV_FILE} in the working directory cannot be read (${code}).`])
  }
}

/** Throws if another user can decide what the file says. */
function checkFile(file: Stats): void {
  const user = process.getuid?.()
  const refuse = (problem: string) => {
    throw new ConfigError([`${ENV_FILE} in the working directory ${problem}`])
  }
  if (!file.isFile()) refuse('is not a plain file: remove it, or run the command in another folder.')
  if (user === undefined) return
  if (file.uid !== user && file.uid !== 0)
    refuse(
      `belongs to user ${file.uid}, but this is user ${user}: chown it, or run the command in another folder.`,
    )
  if ((file.mode & 0o002) !== 0)
    refuse('can be written by every user: check its contents, then chmod 600 it.')
}

/**
 * Throws if a line is malformed, because it would be skipped silently. The error does not quote the line: it may be a
 * secret.
 */
function checkLines(text: string): void {
  const wrong = text.split('\n').findIndex((line) => !ENV_LINE.test(line.trim()))
  if (wrong === -1) return
  throw new ConfigError([
    `${ENV_FILE}:${wrong + 1}: the line must be NAME=value or a comment, and a quoted value must end on it.`,
  ])
}

/** Throws if the runtime would accept every certificate, also of PostgreSQL and of issuers. */
export function refuseUncheckedCertificates({ NODE_TLS_REJECT_UNAUTHORIZED: value = '' }: Environment): void {
  if (['', '1'].includes(value)) return
  throw new ConfigError([
    'NODE_TLS_REJECT_UNAUTHORIZED must be unset or 1, because another value accepts every certificate. For a CA of your own, set NODE_EXTRA_CA_CERTS, and sslrootcert in DATABASE_URL.',
  ])
}
