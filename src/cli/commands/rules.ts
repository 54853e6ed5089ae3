import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/format.ts'
import { loadChecker, readRules } from '../../scoring/load-rules.ts'
import { DEFAULT_RULES } from '../../scoring/rules.ts'
import { defineCommand } from '../command.ts'
import type { Terminal } from '../terminal.ts'

export const rules = defineCommand({
  name: 'rules',
  summary: 'check or show rule sets, which turn values into points',
  description: 'RULES=FILE activates a rule set. docs/scoring.md describes the format.',
  options: {},
  forms: [
    { action: 'check', args: 'FILE', about: 'reports every problem of the file' },
    { action: 'show', about: 'prints the built-in rule set' },
  ],
  examples: ['passportd rules show > rules.json', 'passportd rules check rules.json'],
  async run({ args: [path = ''], action }, terminal) {
    if (action === 'check') return checkRules(path, terminal)
    const { stamp: _, ...shown } = DEFAULT_RULES
    terminal.out(`${JSON.stringify(shown, null, 2)}\n`)
  },
})

async function checkRules(path: string, terminal: Terminal): Promise<void> {
  const { parseRules, RulesError } = await loadChecker()
  try {
    const { version, types } = parseRules(readRules(path))
    terminal.out(
      `${path} is a valid rule set: version ${version}, ${count(Object.keys(types).length, 'type')}.\n`,
    )
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    for (const problem of error.problems) terminal.err(`${path}: ${problem}\n`)
    throw new CommandError(`${path} has ${count(error.problems.length, 'problem')}.`)
  }
}
