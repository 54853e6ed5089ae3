import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { quote } from '../basics/text/quote.ts'
import { type Level, RuleSetFile, type RuleSetShape } from '../passport/rules/rule-set.ts'
import { describeProblems } from '../passport/validation-problem.ts'
import { isScope } from '../store/api-key.ts'
import { parseDays } from './points.ts'
import { type RuleSet, stampRules } from './stamped-rule-set.ts'

const validator = Compile(RuleSetFile)

export class RulesError extends Error {
  override readonly name = 'RulesError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Throws a `RulesError` with all problems. */
export function parseRules(value: unknown): RuleSet {
  const problems = validator.Check(value)
    ? contradictions(value)
    : describeProblems(value, listErrors(value)).map(
        ({ field, reason }) => `${field || 'The rule set'} ${reason}.`,
      )
  if (problems.length > 0) throw new RulesError(problems)
  return stampRules(value as RuleSetShape)
}

/** The validator stops at 8 errors by default; that limit is for untrusted input. */
function listErrors(value: unknown) {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: Number.POSITIVE_INFINITY })
  try {
    return validator.Errors(value)[1]
  } finally {
    Settings.Set({ maxErrors })
  }
}

/** Only these categories count toward a score. */
const CATEGORIES = ['Activity', 'Identity', 'Skills']

/** Returns a sentence for each probable mistake in a valid rule set. */
export const warningsOf = ({ types }: RuleSetShape): string[] =>
  Object.entries(types)
    .filter(([, { category }]) => !CATEGORIES.includes(category))
    .map(
      ([type, { category }]) =>
        `types.${type}.category is ${quote(category)}: only Activity, Identity and Skills count toward a score.`,
    )

function contradictions({ types, caps = {}, levels = [] }: RuleSetShape): string[] {
  const categories = new Set(Object.values(types).map(({ category }) => category))
  return [
    ...Object.entries(types)
      .filter(([, { convert, accounts }]) => convert === 'years' && accounts === 'sum')
      .map(([type]) => `types.${type}.accounts must be "best": dates of several accounts cannot be summed.`),
    ...Object.entries(types)
      .filter(([, { expires }]) => expires !== undefined && parseDays(expires) === undefined)
      .map(
        ([type, { expires }]) =>
          `types.${type}.expires must be a number of days from 1d to 9999d, such as "90d", got ${quote(expires)}.`,
      ),
    ...Object.entries(types)
      .filter(([, { issuer }]) => issuer !== undefined && (issuer === '*' || !isScope(`write:${issuer}`)))
      .map(
        ([type, { issuer }]) =>
          `types.${type}.issuer must be the NAME of a scope write:NAME (a-z, 0-9, _ and -, at most 32), got ${quote(issuer)}.`,
      ),
    ...(Object.keys(types).some((type) => type.trim() === '') ? ['types has a type without a name.'] : []),
    ...(Object.keys(types).length === 0 ? ['types must have at least one type.'] : []),
    ...Object.keys(caps)
      .filter((category) => !categories.has(category))
      .map((category) => `caps.${category} names a category that no type has.`),
    ...levels.flatMap((level, at) => checkLevel(level, at, levels)),
  ]
}

/** Every score must have one level, and every level its own name. */
function checkLevel({ name, from }: Level, at: number, levels: readonly Level[]): string[] {
  const before = levels[at - 1]
  return [
    ...(before === undefined && from !== 0
      ? [`levels.${at}.from must be 0, so that every score has a level, got ${from}.`]
      : []),
    ...(before !== undefined && from <= before.from
      ? [`levels.${at}.from must be more than ${before.from}, the start of the level before, got ${from}.`]
      : []),
    ...(name.trim() === '' ? [`levels.${at}.name must not be blank, got ${quote(name)}.`] : []),
    ...(levels.findIndex((other) => other.name === name) < at
      ? [`levels.${at}.name must differ from the names of other levels, got ${quote(name)}.`]
      : []),
  ]
}
