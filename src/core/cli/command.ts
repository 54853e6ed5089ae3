import { parseArgs } from 'node:util'
import { quote } from '../basics/text/quote.ts'
import { SETTINGS } from '../config/settings.ts'

/** The environment, clock and output of the process, as commands use them. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  now: () => number
  out: (text: string) => void
  err: (text: string) => void
  /** Writes to standard output without blocking, like `log`. */
  announce: (text: string) => void
  /** Writes a log entry: never blocks or fails, and drops entries if nobody reads. */
  log: (line: string) => void
  /** Whether `err` is a terminal. */
  interactive: boolean
  /** Ends the process at once. */
  exit: (code: number) => void
}

/** The command line is invalid; the message says what is accepted. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type Option = {
  about: string
  /** Name of the value in the help. An option without a placeholder is a switch. */
  placeholder?: string
  /** The default value, which is parsed like a value from the command line. */
  default?: string
  /** Completes the message "--port must be ...". */
  accepts?: string
  parse?: (text: string) => unknown
}

type Options = Readonly<Record<string, Option>>

type ValueOf<O> = O extends { parse: (text: string) => infer T }
  ? Exclude<T, undefined>
  : O extends { placeholder: string }
    ? string
    : true

export type Values<O extends Options> = {
  [Name in keyof O]: ValueOf<O[Name]> | (O[Name] extends { default: string } ? never : undefined)
}

/** One way to call a command. If several forms match, the last one is used. */
type Form<Name extends string = string, Action extends string = string> = {
  /** One or more words that select the form, such as "create". */
  action?: Action
  /** Such as "FROM INTO", "[FILE]" or "FILE...". */
  args?: string
  /** The form matches only if these options are given. */
  required?: readonly Name[]
  /** Further options that the form accepts; by default all options of the command. --demo is always accepted. */
  options?: readonly Name[]
  about?: string
}

type Input<O extends Options, Action> = { values: Values<O>; args: string[]; action: Action }

type Declaration<O extends Options, Action extends string> = {
  name: string
  summary: string
  /** Paragraphs are separated by an empty line. */
  description?: string
  options: O
  forms: readonly Form<keyof O & string, Action>[]
  defaultAction?: Action
  examples?: readonly string[]
  run: (input: Input<O, Action>, terminal: Terminal) => void | Promise<void>
}

export type Command = Omit<Declaration<Options, string>, 'run'> & {
  execute: (args: string[], terminal: Terminal) => void | Promise<void>
}

/** Help, shell completions, docs/cli.md and the parser all read this declaration. */
export function defineCommand<const O extends Options, const Action extends string = string>(
  declaration: Declaration<O, Action>,
): Command {
  const { run, ...described } = declaration
  const command: Command = {
    ...described,
    execute: (args, terminal) => run(parse(command, args) as Input<O, Action>, terminal),
  }
  return command
}

/** The options of every command that uses a database. `readConfig` reads --demo. */
export const DATABASE_OPTIONS = {
  demo: { about: 'use the demo database: sqlite:data/demo.db, unless DATABASE_URL names another' },
} as const

export const JSON_OPTION = { json: { about: 'print JSON' } } as const

function parse(command: Command, args: string[]) {
  const { values, positionals } = parseWords(command, args)
  const candidates = findForms(command, positionals)
  const form = candidates.findLast(({ required = [] }) => required.every((name) => name in values))
  if (!form) {
    const missing = candidates.at(-1)?.required?.find((name) => !(name in values))
    throw new UsageError(`The option --${missing} is missing. ${usage(command, candidates)}`)
  }
  const known: readonly string[] = form.options ?? Object.keys(command.options)
  const allowed = [...known, ...(form.required ?? []), ...Object.keys(DATABASE_OPTIONS)]
  const wrong = Object.keys(values).find((name) => !allowed.includes(name))
  if (wrong !== undefined)
    throw new UsageError(`--${wrong} is not accepted here. ${usage(command, candidates)}`)
  const rest = positionals.length === 0 ? [] : positionals.slice(wordsOf(form.action).length)
  checkArguments(command, form, rest)
  return { values: parseValues(command.options, values), args: rest, action: form.action }
}

function parseWords({ name, options }: Command, args: string[]) {
  const types = Object.entries(options).map(([option, { placeholder }]) => {
    return [option, { type: placeholder === undefined ? 'boolean' : 'string' }] as const
  })
  try {
    return parseArgs({ args, options: Object.fromEntries(types), allowPositionals: true, strict: true })
  } catch (error) {
    // Node adds advice about "--" after the first sentence.
    const sentence = (error as Error).message.split(/\.\s|\n/, 1)[0]
    throw new UsageError(`${sentence}.${settingHint(args)} See "passportd ${name} --help".`)
  }
}

/** Names the setting that someone passed as an option. */
function settingHint(args: readonly string[]): string {
  const names = args.map((arg) =>
    arg
      .replace(/^--|=.*$/g, '')
      .replaceAll('-', '_')
      .toUpperCase(),
  )
  const setting = names.find((name, at) => args[at]?.startsWith('--') && Object.hasOwn(SETTINGS, name))
  return setting === undefined ? '' : ` ${setting} is a setting of the environment.`
}

const wordsOf = (text = '') => text.split(' ').filter((word) => word !== '')

function findForms({ name, forms, defaultAction }: Command, positionals: readonly string[]): Form[] {
  const words = positionals.length === 0 ? wordsOf(defaultAction) : positionals
  const matches = forms.filter(({ action }) => wordsOf(action).every((word, at) => word === words[at]))
  if (matches.length > 0) return matches
  const actions = forms.map(({ action }) => action).join(', ')
  const problem = words.length === 0 ? 'An action is missing' : `There is no "${name} ${words[0]}"`
  throw new UsageError(`${problem}: use one of ${actions}. See "passportd ${name} --help".`)
}

function checkArguments(command: Command, form: Form, given: readonly string[]): void {
  const wanted = wordsOf(form.args)
  const missing = wanted.find((word, at) => !given[at] && !word.startsWith('['))
  if (missing !== undefined)
    throw new UsageError(`The argument ${missing.replace('...', '')} is missing. ${usage(command, [form])}`)
  const most = form.args?.endsWith('...') ? Number.POSITIVE_INFINITY : wanted.length
  if (given.length > most)
    throw new UsageError(`Unexpected argument '${given[most]}'. See "passportd ${command.name} --help".`)
}

function parseValues(options: Options, given: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(options).map(([name, option]) => {
    const value = given[name] ?? option.default
    if (typeof value !== 'string' || !option.parse) return [name, value]
    const parsed = option.parse(value)
    if (parsed === undefined) throw invalidValue(`--${name} must be ${option.accepts}`, value)
    return [name, parsed]
  })
  return Object.fromEntries(entries)
}

export const invalidValue = (wanted: string, given: string) =>
  new UsageError(`${wanted}, got ${quote(given)}.`)

const usage = (command: Command, forms: readonly Form[]) =>
  `Usage: ${forms.map((form) => usageOf(command, form).join(' ')).join(', or ')}`

/** Returns the parts of a usage line that must not be split, such as "passportd keys create" and "[--tier NAME]". */
export function usageOf({ name, options, defaultAction }: Command, form: Form): string[] {
  const { action, args, required = [] } = form
  const hidden = [...required, ...Object.keys(DATABASE_OPTIONS)]
  const optional = (form.options ?? Object.keys(options)).filter((option) => !hidden.includes(option))
  const show = (option: string) => nameOption(option, options[option])
  const selector = action === defaultAction && action !== undefined ? `[${action}]` : action
  return [
    ['passportd', name, selector, args].filter(Boolean).join(' '),
    ...required.map(show),
    ...optional.map((option) => `[${show(option)}]`),
  ]
}

export const nameOption = (name: string, option: Option | undefined) =>
  option?.placeholder === undefined ? `--${name}` : `--${name} ${option.placeholder}`
