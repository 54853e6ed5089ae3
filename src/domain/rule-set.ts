import Type, { type Static } from 'typebox'
import type { RawKind } from './data-point.ts'
import { closed } from './schema-helpers.ts'

export const Rule = closed({
  name: Type.String({ minLength: 1, maxLength: 250 }),
  category: Type.String({ minLength: 1, maxLength: 250 }),
  max_score: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  convert: Type.Enum(['none', 'sqrt', 'ln', 'years']),
  multiplier: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  accounts: Type.Enum(['sum', 'best']),
  proves_human: Type.Boolean(),
  unique: Type.Optional(
    Type.Enum(['first'], { description: 'An account counts only for the passport that had it first' }),
  ),
  expires: Type.Optional(
    Type.String({ description: 'How long a data point counts, such as `90d` for 90 days' }),
  ),
  issuer: Type.Optional(
    Type.String({
      description: 'Keys with the scope `write:` and this name may write the data points of the type',
    }),
  ),
})

export const Level = closed({
  name: Type.String({ minLength: 1, maxLength: 40 }),
  from: Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'The lowest overall score' }),
})

export const RuleSetFile = closed({
  version: Type.String({ minLength: 1, maxLength: 40 }),
  caps: Type.Optional(Type.Record(Type.String(), Type.Number({ minimum: 0 }))),
  levels: Type.Optional(
    Type.Array(Level, {
      minItems: 1,
      maxItems: 20,
      description: 'Names for ranges of the overall score, in ascending order. Scores do not depend on them',
    }),
  ),
  types: Type.Record(Type.String(), Rule),
})

export type Rule = Static<typeof Rule>
export type Level = Static<typeof Level>
export type RuleSetShape = Static<typeof RuleSetFile>

/** The types of a rule set whose points depend on other passports (`unique`) or on the time (`expires`). */
export type WatchedTypes = { unique: readonly string[]; expiring: readonly string[] }

/** Returns the kind of raw value that the rule of a type accepts; `undefined` if the type has no rule. */
export function rawKindOf({ types }: Pick<RuleSetShape, 'types'>, type: string): RawKind | undefined {
  const rule = Object.hasOwn(types, type) ? types[type] : undefined
  return rule && (rule.convert === 'years' ? 'date' : 'number')
}

/** Returns the level of an overall score and the next level, if any; `undefined` if there are no levels. */
export function levelOf<L extends Level>(
  total: number,
  { levels = [] }: { levels?: readonly L[] },
): { level: L; next?: L } | undefined {
  const at = levels.findLastIndex(({ from }) => total >= from)
  const [level, next] = [levels[at], levels[at + 1]]
  return level && { level, ...(next && { next }) }
}
