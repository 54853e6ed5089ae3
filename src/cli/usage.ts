import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command was typed wrongly; the message says how it would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const HELP_OPTION = { help: { type: 'boolean', short: 'h', default: false } } as const

/** For commands that work on a database. */
export const DATABASE_OPTIONS = { ...HELP_OPTION, demo: { type: 'boolean', default: false } } as const

type Options = NonNullable<ParseArgsConfig['options']>

/** `parseArgs`, whose complaints come out as a `UsageError` that names the command. */
export function parseOptions<T extends Options>(command: string, args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    // Node adds advice about "--" after the first sentence.
    const sentence = (error as Error).message.split(/\.\s|\n/, 1)[0]
    throw new UsageError(`${sentence}. See "passportd ${command} --help".`)
  }
}

export function refuseExtra(command: string, positionals: readonly string[]): void {
  if (positionals.length === 0) return
  throw new UsageError(`Unexpected argument '${positionals[0]}'. See "passportd ${command} --help".`)
}
