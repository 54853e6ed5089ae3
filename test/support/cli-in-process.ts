import { COMMANDS } from '../../src/commands.ts'
import { printableLines } from '../../src/core/basics/text/quote.ts'
import { describeFailure, runCommand } from '../../src/core/cli/run-command.ts'
import { NOON } from './store/records.ts'

type Options = {
  env?: Record<string, string>
  /** Becomes the working directory of this process until the command ends. Not for concurrent tests. */
  cwd?: string
  now?: number
}

/** Runs a command in this process, with a fixed clock, and throws its errors. */
export async function runHere(args: readonly string[], options: Options = {}) {
  const output = { out: '', err: '' }
  await runInto(output, args, options)
  return output
}

/** Runs a command in this process, and returns its output and exit code. */
export async function callHere(args: readonly string[], options: Options = {}) {
  const output = { out: '', err: '' }
  const before = process.cwd()
  if (options.cwd !== undefined) process.chdir(options.cwd)
  try {
    await runInto(output, args, { now: Date.now(), ...options })
    return { ...output, code: 0 }
  } catch (error) {
    const { lines, code } = describeFailure(error)
    for (const line of lines) output.err += `passportd: ${printableLines(line)}\n`
    return { ...output, code }
  } finally {
    if (options.cwd !== undefined) process.chdir(before)
  }
}

type Output = { out: string; err: string }

async function runInto(output: Output, args: readonly string[], { env = {}, now = NOON }: Options) {
  const writeTo = (stream: keyof Output) => (text: string) => {
    output[stream] += text
  }
  await runCommand(COMMANDS, [...args], {
    env,
    now: () => now,
    out: writeTo('out'),
    err: writeTo('err'),
    announce: writeTo('out'),
    log: () => undefined,
    interactive: false,
    exit: () => undefined,
  })
}
