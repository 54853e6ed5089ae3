import { COMMANDS } from './commands.ts'
import { printableLines } from './core/basics/text/quote.ts'
import type { Terminal } from './core/cli/command.ts'
import { describeFailure, runCommand } from './core/cli/run-command.ts'
import { STANDARD_OUTPUT } from './core/cli/system-error.ts'
import { writeAll } from './core/cli/write-descriptor.ts'
import {
  ENV_FILE,
  readEnvFile,
  refuseUncheckedCertificates,
  unknownNames,
} from './core/config/environment.ts'

/** While more unread characters than this are buffered, log entries are dropped. */
const LONGEST_BACKLOG = 1024 * 1024

/** The process ends after this time, even if nobody reads its last message or its log. */
const PATIENCE_MILLISECONDS = 1000

let environment: Terminal['env'] | undefined

const writeLog = createLogWriter(Bun.stderr)

const terminal: Terminal = {
  /** Read by commands that need settings: `verify` and others work beside any .env. */
  get env() {
    environment ??= readEnvironment()
    return environment
  },
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

/** Warns of variables in .env that are not settings: they have no effect. */
function readEnvironment(): Terminal['env'] {
  const file = readEnvFile()
  const unknown = unknownNames(file)
  if (unknown.length > 0)
    terminal.err(`passportd: ${ENV_FILE}: no setting, so without effect: ${unknown.join(', ')}.\n`)
  return { ...file, ...process.env }
}

try {
  refuseUncheckedCertificates(process.env)
  await runCommand(COMMANDS, process.argv.slice(2), terminal)
  setTimeout(() => process.exit(), PATIENCE_MILLISECONDS).unref()
} catch (error) {
  const { lines, code } = describeFailure(error)
  for (const line of lines) terminal.err(`passportd: ${printableLines(line)}\n`)
  process.exit(code)
}
