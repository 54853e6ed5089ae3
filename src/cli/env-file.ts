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

/** A malformed line would be skipped silently, and its setting would have no effect. Its text may be a secret. */
function checkLines(text: string): void {
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const end = findEnd(lines, at)
    if (end === undefined)
      throw new CommandError(
        `${PATH}:${at + 1}: the line must be NAME=value or a comment, and a quoted value must end.`,
      )
    at = end
  }
}

/** The last line of the entry that starts at a line; `undefined` if it is malformed. */
function findEnd(lines: readonly string[], at: number): number | undefined {
  const line = lines[at]?.trim() ?? ''
  if (line === '' || line.startsWith('#')) return at
  const value = /^(?:export\s+)?[\w.-]+\s*=(.*)$/.exec(line)?.[1]?.trim()
  const quote = value === undefined ? undefined : /^["'`]?/.exec(value)?.[0]
  if (value === undefined || quote === undefined) return undefined
  if (quote === '' || value.includes(quote, 1)) return at
  const end = lines.findIndex((each, index) => index > at && each.includes(quote))
  return end === -1 ? undefined : end
}
