import { ConfigError } from '../config.ts'
import { CommandError, ServiceError } from '../domain/errors.ts'
import { VERSION } from '../version.ts'
import { UsageError } from './args.ts'
import { COMMAND_HELP } from './command-help.ts'
import { HELP } from './help.ts'
import type { Terminal } from './terminal.ts'

type Command = (args: string[], terminal: Terminal) => void | Promise<void>

/** Loaded when asked for: most commands need little of the program. */
export const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  keys: async () => (await import('./commands/keys.ts')).keys,
  usage: async () => (await import('./commands/usage-report.ts')).usageReport,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  mirror: async () => (await import('./commands/mirror.ts')).mirror,
  score: async () => (await import('./commands/score.ts')).scoreCommand,
  explain: async () => (await import('./commands/explain.ts')).explain,
  rules: async () => (await import('./commands/rules.ts')).rules,
  merge: async () => (await import('./commands/merge.ts')).merge,
  remove: async () => (await import('./commands/merge.ts')).remove,
  copy: async () => (await import('./commands/copy.ts')).copy,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/backup.ts')).restoreCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  retire: async () => (await import('./commands/retire.ts')).retire,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  openapi: async () => (await import('./commands/openapi.ts')).openApi,
  completions: async () => (await import('./commands/completions.ts')).completions,
}

export async function runCommand([name = '--help', ...args]: string[], terminal: Terminal): Promise<void> {
  if (name === '--version' || name === '-v') return terminal.out(`passportd ${VERSION}\n`)
  if (name === 'help' && args[0] !== undefined) return runCommand([args[0], '--help'], terminal)
  if (['help', '--help', '-h'].includes(name)) return terminal.out(HELP)
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) throw new UsageError(`There is no command "${name}". See "passportd --help".`)
  if (args.some((arg) => arg === '--help' || arg === '-h')) return terminal.out(COMMAND_HELP[name] ?? '')
  const command = await load()
  await command(args, terminal)
}

/** The sentences for the operator and the exit code; an error of another kind is a bug and keeps its stack. */
export function describeFailure(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof ConfigError) return { lines: error.problems, code: 2 }
  if (error instanceof UsageError) return { lines: [error.message], code: 2 }
  if (error instanceof CommandError || error instanceof ServiceError)
    return { lines: [error.message], code: 1 }
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], code: 1 }
}
