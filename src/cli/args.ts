import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command was typed wrongly; the message says how it would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Refuses an argument that is missing or wrong; `wanted` says what to give. */
export const wrongArgument = (wanted: string, text: string | undefined) =>
  new UsageError(`${wanted}${text === undefined ? '' : `, got "${text}"`}.`)

/** For commands that work on a database: `readConfig` takes them. */
export const DATABASE_OPTIONS = { demo: { type: 'boolean' } } as const

type Options = NonNullable<ParseArgsConfig['options']>

/** `parseArgs` with at most `most` arguments beside the options; its errors become a `UsageError`. */
export function parseOptions<T extends Options>(command: string, args: string[], options: T, most = 0) {
  const { values, positionals } = parse(command, args, options)
  refuseExtra(command, positionals.slice(most))
  return { values, positionals }
}

function parse<T extends Options>(command: string, args: string[], options: T) {
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
