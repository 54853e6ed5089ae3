import { readFileSync } from 'node:fs'
import { CommandError } from '../domain/errors.ts'
import { withPath } from './system-error.ts'

const PATH = '.env'

/** Values are literal: Bun would expand "$", so it starts with --no-env-file. */
export function loadEnvFile(): void {
  try {
    checkLines(readFileSync(PATH, 'utf8'))
    process.loadEnvFile(PATH)
  } catch (error) {
    if (error instanceof CommandError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw withPath(error, PATH)
  }
}

/** NAME=value, where a quoted value ends, or a comment. */
const LINE = /^(?:#.*|(?:export\s+)?[\w.-]+\s*=\s*(?:(["'`]).*?\1.*|[^"'`].*)?)?$/

/** A malformed line would be skipped silently, and its setting would have no effect. Its text may be a secret. */
function checkLines(text: string): void {
  const wrong = text.split('\n').findIndex((line) => !LINE.test(line.trim()))
  if (wrong === -1) return
  throw new CommandError(
    `${PATH}:${wrong + 1}: the line must be NAME=value or a comment, and a quoted value must end on it.`,
  )
}
