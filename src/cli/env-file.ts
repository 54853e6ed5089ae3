import { readFileSync } from 'node:fs'
import { CommandError } from '../domain/errors.ts'
import { withPath } from './system-error.ts'

const PATH = '.env'

/** Reads .env with literal values. Bun would expand "$", so it is started with --no-env-file. */
export function loadEnvFile(): void {
  try {
    checkLines(readFileSync(PATH, 'utf8'))
    process.loadEnvFile(PATH)
  } catch (error) {
    if (error instanceof CommandError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw withPath(error, PATH)
  }
}

/** Matches a comment, or NAME=value, where a quoted value ends on the same line. */
const LINE = /^(?:#.*|(?:export\s+)?[\w.-]+\s*=\s*(?:(["'`]).*?\1.*|[^"'`].*)?)?$/

/** Throws if a line is malformed, because it would be skipped silently. The error does not quote the line: it may be a secret. */
function checkLines(text: string): void {
  const wrong = text.split('\n').findIndex((line) => !LINE.test(line.trim()))
  if (wrong === -1) return
  throw new CommandError(
    `${PATH}:${wrong + 1}: the line must be NAME=value or a comment, and a quoted value must end on it.`,
  )
}
