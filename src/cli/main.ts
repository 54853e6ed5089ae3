import { randomBytes } from 'node:crypto'
import { ConfigError } from '../config.ts'
import { CommandError, ServiceError } from '../domain/errors.ts'
import { printableLines } from '../domain/format.ts'
import { runCommand } from './commands.ts'
import { createLogWriter } from './log-writer.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage.ts'
import { writeAll } from './write-all.ts'

const writeLog = createLogWriter()

const terminal: Terminal = {
  env: process.env,
  now: Date.now,
  random: (bytes) => randomBytes(bytes),
  // Written at once: what is buffered is lost when the process is killed.
  out: (text) => writeAll(1, text),
  err: (text) => writeAll(2, text),
  log: (line) => writeLog(printableLines(line)),
  interactive: process.stderr.isTTY === true,
  columns: () => process.stderr.columns || 80,
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
  await runCommand(process.argv.slice(2), terminal)
} catch (error) {
  const { lines, code } = report(error)
  for (const line of lines) terminal.err(`passportd: ${printableLines(line)}\n`)
  process.exit(code)
}
