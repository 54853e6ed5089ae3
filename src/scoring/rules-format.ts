import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { describeProblems } from '../domain/validation-problem.ts'
import { type RuleSet, stampRules } from './rules.ts'

const closed = { additionalProperties: false }

const Rule = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    category: Type.String({ minLength: 1 }),
    max_score: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    convert: Type.Enum(['none', 'sqrt', 'ln', 'years']),
    multiplier: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    accounts: Type.Enum(['sum', 'best']),
    proves_human: Type.Boolean(),
  },
  closed,
)

const RuleSetFile = Type.Object(
  {
    version: Type.String({ minLength: 1, maxLength: 40 }),
    caps: Type.Optional(Type.Record(Type.String(), Type.Number({ minimum: 0 }))),
    types: Type.Record(Type.String(), Rule),
  },
  closed,
)

const validator = Compile(RuleSetFile)

export type Rule = Static<typeof Rule>
export type RuleSetShape = Static<typeof RuleSetFile>

export class RulesError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'RulesError'
    this.problems = problems
  }
}

/** Throws a `RulesError` with all problems. */
export function parseRules(value: unknown): RuleSet {
  const problems = validator.Check(value)
    ? contradictions(value)
    : describeProblems(value, validator.Errors(value)).map(
        ({ field, reason }) => `${field || 'The rule set'} ${reason}.`,
      )
  if (problems.length > 0) throw new RulesError(problems)
  return stampRules(value as RuleSetShape)
}

function contradictions({ types, caps = {} }: RuleSetShape): string[] {
  const categories = new Set(Object.values(types).map(({ category }) => category))
  return [
    ...Object.entries(types).flatMap(([type, { convert, accounts }]) =>
      convert === 'years' && accounts === 'sum'
        ? [`types.${type}.accounts must be "best": dates of several accounts cannot be summed.`]
        : [],
    ),
    ...(Object.keys(types).some((type) => type.trim() === '') ? ['types has a type without a name.'] : []),
    ...(Object.keys(types).length === 0 ? ['types must have at least one type.'] : []),
    ...Object.keys(caps)
      .filter((category) => !categories.has(category))
      .map((category) => `caps.${category} names a category that no type has.`),
  ]
}
