import { printableLines } from '../domain/text/counts-and-sizes.ts'
import type { Terminal } from './command.ts'
import { describeFailure, runCommand } from './commands.ts'
import { loadEnvFile } from './env-file.ts'
import { createLogWriter } from './log-writer.ts'
import { STANDARD_OUTPUT } from './system-error.ts'
import { writeAll } from './write-all.ts'

/** A failure message that nobody reads must not keep the process alive, nor may a log that nobody reads. */
const PATIENCE_MILLISECONDS = 1000

const writeLog = createLogWriter(Bun.stderr)

const terminal: Terminal = {
  env: process.env,
  now: Date.now,
  // Synchronous: a killed process would lose buffered output.
  out: (text) => writeAll(1, text, { path: STANDARD_OUTPUT }),
  err: writeMessage,
  announce: (text) => createLogWriter(Bun.stdout)(text),
  log: (line) => writeLog(printableLines(line)),
  interactive: process.stderr.isTTY === true,
  exit: (code) => process.exit(code),
}

/** A message that nobody can read does not stop a command. */
function writeMessage(text: string): void {
  try {
    writeAll(2, text, { path: 'Standard error', patience: PATIENCE_MILLISECONDS })
  } catch {
    // There is no other place to report it.
  }
}

try {
  loadEnvFile()
  await runCommand(process.argv.slice(2), terminal)
  setTimeout(() => process.exit(), PATIENCE_MILLISECONDS).unref()
} catch (error) {
  const { lines, code } = describeFailure(error)
  for (const line of lines) terminal.err(`passportd: ${printableLines(line)}\n`)
  process.exit(code)
}
