import { readFileSync } from 'node:fs'
import { DEFAULT_RULES, type RuleSet } from '../scoring/rules.ts'
import { RULES_HELP } from './command-help.ts'
import type { Terminal } from './terminal.ts'
import { CommandError, HELP_OPTION, parseOptions, refuseExtra, UsageError } from './usage.ts'
import { count } from './words.ts'

/** The operator's own rule set, or the default one. Throws a `CommandError` that says what is wrong with it. */
export async function loadRules(path: string | undefined): Promise<RuleSet> {
  if (path === undefined) return DEFAULT_RULES
  const { parseRules, RulesError } = await loadChecker()
  try {
    return parseRules(readRules(path))
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    const more =
      error.problems.length > 1
        ? ` (and ${error.problems.length - 1} more: passportd rules check ${path})`
        : ''
    throw new CommandError(`RULES names ${path}, which will not do: ${error.problems[0]}${more}`)
  }
}

/** It is large, and only needed for rules of one's own. */
const loadChecker = () => import('../scoring/rules-format.ts')

function readRules(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new CommandError(`${path} cannot be read as a rule set: ${why}.`)
  }
}

export async function rules(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('rules', args, HELP_OPTION)
  const [action, path, ...extra] = positionals
  if (values.help) {
    terminal.out(RULES_HELP)
    return
  }
  refuseExtra('rules', extra)
  if (action === 'show' && path === undefined) {
    const { stamp: _, ...shown } = DEFAULT_RULES
    terminal.out(`${JSON.stringify(shown, null, 2)}\n`)
    return
  }
  if (action !== 'check' || path === undefined) {
    throw new UsageError('Say what to do: passportd rules check FILE, or rules show.')
  }
  await checkRules(path, terminal)
}

async function checkRules(path: string, terminal: Terminal): Promise<void> {
  const { parseRules, RulesError } = await loadChecker()
  try {
    const { version, types } = parseRules(readRules(path))
    terminal.out(
      `${path} is a good rule set: version ${version}, ${count(Object.keys(types).length, 'type')}.\n`,
    )
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    for (const problem of error.problems) terminal.err(`${path}: ${problem}\n`)
    throw new CommandError(`${path} has ${count(error.problems.length, 'problem')}.`)
  }
}
