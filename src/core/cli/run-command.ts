import { describeError } from '../basics/errors.ts'
import { describeUnknown } from '../basics/text/nearest-name.ts'
import { PROGRAM, VERSION } from '../basics/version.ts'
import { ConfigError } from '../config/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { commandHelp, programHelp } from './help.ts'
import { describeSystemError, isClosedByReader } from './system-error.ts'

/** Loaded on demand: most commands need a small part of the program. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>

export const loadCommands = (commands: Commands) => Promise.all(Object.values(commands).map((load) => load()))

export async function runCommand(
  commands: Commands,
  [name = '--help', ...args]: string[],
  terminal: Terminal,
): Promise<void> {
  if (['version', '--version', '-v'].includes(name)) return terminal.out(`passportd ${VERSION}\n`)
  if (name === 'help' && args[0] !== undefined) return runCommand(commands, [args[0], '--help'], terminal)
  if (['help', '--help', '-h'].includes(name))
    return terminal.out(asStarted(programHelp(await loadCommands(commands))))
  const [next = '', ...others] = args
  // An option may stand before its command.
  if (name.startsWith('--') && Object.hasOwn(commands, next))
    return runCommand(commands, [next, name, ...others], terminal)
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load)
    throw new UsageError(`${describeUnknown('command', name, Object.keys(commands))} See "passportd --help".`)
  const command = await load()
  if (args.some((arg) => arg === '--help' || arg === '-h'))
    return terminal.out(asStarted(commandHelp(command)))
  await command.execute(args, terminal)
}

/** Replaces the name of the program in command lines, so that they can be copied. */
const asStarted = (text: string) =>
  text.replace(/("|^ +|Usage: |, or )passportd (?=[a-zC-])/gm, `$1${PROGRAM} `)

/** The messages for the operator and the exit code. An unexpected error is a bug and keeps its stack. */
export function describeFailure(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof ConfigError) return { lines: error.problems.map(asStarted), code: 2 }
  if (error instanceof UsageError) return { lines: [asStarted(error.message)], code: 2 }
  if (isClosedByReader(error)) return { lines: [], code: 0 }
  return { lines: [asStarted(describeSystemError(error) ?? describeError(error))], code: 1 }
}
