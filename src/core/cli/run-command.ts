import { describeError } from '../basics/errors.ts'
import { describeUnknown } from '../basics/text/nearest-name.ts'
import { PROGRAM, VERSION } from '../basics/version.ts'
import { ConfigError } from '../config/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { commandHelp, programHelp } from './help.ts'
import { describeSystemError, isClosedByReader } from './system-error.ts'

/** Loaded on demand: most commands need a small part of the program. */
export const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('../../serve/command.ts')).serve,
  keys: async () => (await import('../../features/keys/commands.ts')).keys,
  subscriptions: async () => (await import('../../features/webhooks/command.ts')).subscriptions,
  requests: async () => (await import('../../features/privacy/requests.ts')).requests,
  usage: async () => (await import('../../features/keys/usage-command.ts')).usage,
  audit: async () => (await import('./audit-command.ts')).audit,
  mcp: async () => (await import('../../features/mcp/command.ts')).mcp,
  openapi: async () => (await import('../../features/reference/command.ts')).openApi,
  import: async () => (await import('../../features/records/import-command.ts')).importCommand,
  export: async () => (await import('../../features/records/export-command.ts')).exportCommand,
  mirror: async () => (await import('../../features/mirror/command.ts')).mirror,
  score: async () => (await import('../../features/rules/score-command.ts')).score,
  explain: async () => (await import('../../features/rules/explain-command.ts')).explain,
  history: async () => (await import('../../features/events/commands.ts')).history,
  diff: async () => (await import('../../features/events/commands.ts')).diff,
  rules: async () => (await import('../../features/rules/commands.ts')).rules,
  verify: async () => (await import('../../features/proof/verify-command.ts')).verify,
  signing: async () => (await import('../../features/proof/signing-command.ts')).signing,
  merge: async () => (await import('../../features/records/merge-and-remove.ts')).merge,
  remove: async () => (await import('../../features/records/merge-and-remove.ts')).remove,
  hide: async () => (await import('../../features/privacy/hide-and-bar.ts')).hide,
  unhide: async () => (await import('../../features/privacy/hide-and-bar.ts')).unhide,
  bar: async () => (await import('../../features/privacy/hide-and-bar.ts')).bar,
  subject: async () => (await import('../../features/privacy/subject-and-removals.ts')).subject,
  removals: async () => (await import('../../features/privacy/subject-and-removals.ts')).removals,
  retire: async () => (await import('../../features/retire/command.ts')).retire,
  migrate: async () => (await import('./migrate-command.ts')).migrate,
  copy: async () => (await import('../../features/copy/command.ts')).copy,
  backup: async () => (await import('../../features/backup/commands.ts')).backup,
  restore: async () => (await import('../../features/backup/commands.ts')).restore,
  doctor: async () => (await import('../../features/doctor/command.ts')).doctor,
  completions: async () => (await import('./completions-command.ts')).createCompletions(loadCommands),
}

export const loadCommands = () => Promise.all(Object.values(COMMANDS).map((load) => load()))

export async function runCommand([name = '--help', ...args]: string[], terminal: Terminal): Promise<void> {
  if (name === '--version' || name === '-v') return terminal.out(`passportd ${VERSION}\n`)
  if (name === 'help' && args[0] !== undefined) return runCommand([args[0], '--help'], terminal)
  if (['help', '--help', '-h'].includes(name))
    return terminal.out(asStarted(programHelp(await loadCommands())))
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load)
    throw new UsageError(`${describeUnknown('command', name, Object.keys(COMMANDS))} See "passportd --help".`)
  const command = await load()
  if (args.some((arg) => arg === '--help' || arg === '-h'))
    return terminal.out(asStarted(commandHelp(command)))
  await command.execute(args, terminal)
}

/** Replaces the name of the program in command lines, so that they can be copied. */
export const asStarted = (text: string) =>
  text.replace(/("|^ +|Usage: |, or )passportd (?=[a-zC-])/gm, `$1${PROGRAM} `)

/** The messages for the operator and the exit code. An unexpected error is a bug and keeps its stack. */
export function describeFailure(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof ConfigError) return { lines: error.problems.map(asStarted), code: 2 }
  if (error instanceof UsageError) return { lines: [asStarted(error.message)], code: 2 }
  if (isClosedByReader(error)) return { lines: [], code: 0 }
  return { lines: [asStarted(describeSystemError(error) ?? describeError(error))], code: 1 }
}
