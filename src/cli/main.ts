import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import { HELP } from './help.ts'
import { keys } from './keys.ts'
import { openApi } from './openapi.ts'
import { serve } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { CommandError, UsageError } from './usage.ts'
import { VERSION } from './version.ts'

const terminal: Terminal = {
  env: process.env,
  now: Date.now,
  random: (bytes) => randomBytes(bytes),
  // Written at once: what is buffered is lost when the process is killed.
  out: (text) => void writeSync(1, text),
  err: (text) => void writeSync(2, text),
  interactive: process.stderr.isTTY === true,
}

async function run([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'serve':
      return serve(args, terminal)
    case 'keys':
      return keys(args, terminal)
    case 'openapi':
      return openApi(args, terminal)
    case undefined:
    case '--help':
    case '-h':
      return terminal.out(HELP)
    case 'help':
      return args[0] === undefined ? terminal.out(HELP) : run([args[0], '--help'])
    case '--version':
    case '-v':
      return terminal.out(`passportd ${VERSION}\n`)
    default:
      throw new UsageError(`There is no command "${command}". See "passportd --help".`)
  }
}

/** The sentences for the operator and the exit code; an error of another kind is a bug and keeps its stack. */
function report(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof ConfigError) return { lines: error.problems, code: 2 }
  if (error instanceof UsageError) return { lines: [error.message], code: 2 }
  if (error instanceof CommandError || error instanceof ServiceError)
    return { lines: [error.message], code: 1 }
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], code: 1 }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const { lines, code } = report(error)
  for (const line of lines) terminal.err(`passportd: ${line}\n`)
  process.exit(code)
}
