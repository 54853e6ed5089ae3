import { readFileSync } from 'node:fs'
import { CommandError } from '../basics/errors.ts'
import { DEFAULT_RULES, type RuleSet } from './stamped-rule-set.ts'

/** The operator's rule set, or the default one. Throws `CommandError` with the first problem. */
export async function loadRules(path: string | undefined): Promise<RuleSet> {
  if (path === undefined) return DEFAULT_RULES
  const { parseRules, RulesError } = await loadChecker()
  try {
    return parseRules(readRules(path))
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    const [first, ...others] = error.problems
    const more = others.length > 0 ? ` (and ${others.length} more: passportd rules check ${path})` : ''
    throw new CommandError(`RULES names ${path}, which is not valid: ${first}${more}`)
  }
}

/** Loaded on demand: the validator is large, and the default rules need none. */
export const loadChecker = () => import('./rules-format.ts')

export function readRules(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new CommandError(`${path} cannot be read as a rule set: ${why}.`)
  }
}
