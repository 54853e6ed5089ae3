import { readFileSync } from 'node:fs'
import { COMMANDS } from './commands.ts'
import { CommandError } from './core/basics/errors.ts'
import { printableLines } from './core/basics/text/quote.ts'
import type { Terminal } from './core/cli/command.ts'
import { describeFailure, runCommand } from './core/cli/run-command.ts'
import { STANDARD_OUTPUT, withPath } from './core/cli/system-error.ts'
import { writeAll } from './core/cli/write-descriptor.ts'

/** While more unread characters than this are buffered, log entries are dropped. */
const LONGEST_BACKLOG = 1024 * 1024

/** The process ends after this time, even if nobody reads its last message or its log. */
const PATIENCE_MILLISECONDS = 1000

const ENV_FILE = '.env'

/** Matches a comment, or NAME=value, where a quoted value ends on the same line. */
const ENV_LINE = /^(?:#.*|(?:export\s+)?[\w.-]+\s*=\s*(?:(["'`]).*?\1.*|[^"'`].*)?)?$/

const writeLog = createLogWriter(Bun.stderr)

const terminal: Terminal = {
  env: process.env,
  now: Date.now,
  // Synchronous: a killed process would lose buffered output.
  out: (text) => writeAll(1, text, STANDARD_OUTPUT),
  err: writeMessage,
  announce: (text) => createLogWriter(Bun.stdout)(text),
  log: (line) => writeLog(printableLines(line)),
  interactive: process.stderr.isTTY === true,
  exit: (code) => process.exit(code),
}

/**
 * Writes to standard output or standard error without blocking. A log that is full, closed or stuck loses entries, but
 * it never fails or delays the request that logs.
 */
function createLogWriter(file: Bun.BunFile): (line: string) => void {
  const sink = file.writer()
  let backlog = 0
  return (line) => {
    if (backlog > LONGEST_BACKLOG) return
    backlog += line.length
    const written = () => {
      backlog -= line.length
    }
    try {
      sink.write(line)
      Promise.resolve(sink.flush()).then(written, written)
    } catch {
      written()
    }
  }
}

/** A message that nobody can read does not stop a command. */
function writeMessage(text: string): void {
  try {
    writeAll(2, text, 'Standard error', PATIENCE_MILLISECONDS)
  } catch {
    // The error cannot be reported anywhere else.
  }
}

/** Reads .env with literal values. Bun would expand "$", so it is started with --no-env-file. */
function loadEnvFile(): void {
  try {
    checkLines(readFileSync(ENV_FILE, 'utf8'))
    process.loadEnvFile(ENV_FILE)
  } catch (error) {
    if (error instanceof CommandError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw withPath(error, ENV_FILE)
  }
}

/** Throws if a line is malformed, because it would be skipped silently. The error does not quote the line: it may be a secret. */
function checkLines(text: string): void {
  const wrong = text.split('\n').findIndex((line) => !ENV_LINE.test(line.trim()))
  if (wrong === -1) return
  throw new CommandError(
    `${ENV_FILE}:${wrong + 1}: the line must be NAME=value or a comment, and a quoted value must end on it.`,
  )
}

try {
  loadEnvFile()
  await runCommand(COMMANDS, process.argv.slice(2), terminal)
  setTimeout(() => process.exit(), PATIENCE_MILLISECONDS).unref()
} catch (error) {
  const { lines, code } = describeFailure(error)
  for (const line of lines) terminal.err(`passportd: ${printableLines(line)}\n`)
  process.exit(code)
}
