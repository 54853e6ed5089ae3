import { type Commands, loadCommands } from './core/cli/run-command.ts'
import { commandsOf } from './feature.ts'
import { FEATURES } from './features.ts'

/** In the order of the help. */
export const COMMANDS: Commands = {
  serve: async () => (await import('./serve/command.ts')).serve,
  ...commandsOf(FEATURES),
  openapi: async () => (await import('./serve/openapi-command.ts')).openApi,
  audit: async () => (await import('./core/cli/audit-command.ts')).audit,
  migrate: async () => (await import('./core/cli/migrate-command.ts')).migrate,
  completions: async () =>
    (await import('./core/cli/completions-command.ts')).createCompletions(() => loadCommands(COMMANDS)),
}
