import { ConfigError } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { describeUnknown } from '../domain/text/nearest-name.ts'
import { PROGRAM, VERSION } from '../version.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { commandHelp, programHelp } from './help.ts'
import { describeSystemError, isClosedByReader } from './system-error.ts'

/** Loaded on demand: most commands need a small part of the program. */
export const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  keys: async () => (await import('./commands/keys.ts')).keys,
  subscriptions: async () => (await import('./commands/subscriptions.ts')).subscriptions,
  requests: async () => (await import('./commands/privacy/requests.ts')).requests,
  usage: async () => (await import('./commands/usage-report.ts')).usage,
  audit: async () => (await import('./commands/audit.ts')).audit,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  openapi: async () => (await import('./commands/openapi.ts')).openApi,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  mirror: async () => (await import('./commands/mirror.ts')).mirror,
  score: async () => (await import('./commands/score.ts')).score,
  explain: async () => (await import('./commands/explain.ts')).explain,
  history: async () => (await import('./commands/history-and-diff.ts')).history,
  diff: async () => (await import('./commands/history-and-diff.ts')).diff,
  rules: async () => (await import('./commands/rules.ts')).rules,
  verify: async () => (await import('./commands/proof/verify.ts')).verify,
  signing: async () => (await import('./commands/proof/signing.ts')).signing,
  merge: async () => (await import('./commands/merge-and-remove.ts')).merge,
  remove: async () => (await import('./commands/merge-and-remove.ts')).remove,
  hide: async () => (await import('./commands/privacy/hide-and-bar.ts')).hide,
  unhide: async () => (await import('./commands/privacy/hide-and-bar.ts')).unhide,
  bar: async () => (await import('./commands/privacy/hide-and-bar.ts')).bar,
  subject: async () => (await import('./commands/privacy/subject-and-removals.ts')).subject,
  removals: async () => (await import('./commands/privacy/subject-and-removals.ts')).removals,
  retire: async () => (await import('./commands/retire.ts')).retire,
  migrate: async () => (await import('./commands/copy-and-migrate.ts')).migrate,
  copy: async () => (await import('./commands/copy-and-migrate.ts')).copy,
  backup: async () => (await import('./commands/backup-and-restore.ts')).backup,
  restore: async () => (await import('./commands/backup-and-restore.ts')).restore,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  completions: async () => (await import('./commands/completions.ts')).createCompletions(loadCommands),
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
