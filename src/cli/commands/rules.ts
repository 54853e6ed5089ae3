import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/format.ts'
import { loadChecker, readRules } from '../../scoring/load-rules.ts'
import { DEFAULT_RULES } from '../../scoring/rules.ts'
import { parseOptions, UsageError } from '../args.ts'
import type { Terminal } from '../terminal.ts'

export async function rules(args: string[], terminal: Terminal): Promise<void> {
  const { positionals } = parseOptions('rules', args, {}, 2)
  const [action, path] = positionals
  if (action === 'show' && path === undefined) {
    const { stamp: _, ...shown } = DEFAULT_RULES
    return terminal.out(`${JSON.stringify(shown, null, 2)}\n`)
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
