import Type, { type Static } from 'typebox'
import { closed } from '../../basics/schema-helpers.ts'
import { foldName } from '../../basics/text/fold-name.ts'
import type { RawKind } from '../data-point.ts'

export const Rule = closed({
  name: Type.String({ minLength: 1, maxLength: 250 }),
  description: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What the credential is, in one or two sentences',
    }),
  ),
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

export const ruleOf = ({ types }: Pick<RuleSetShape, 'types'>, type: string): Rule | undefined =>
  Object.hasOwn(types, type) ? types[type] : undefined

/** Finds the rule of a folded type. */
export const findRule = ({ types }: Pick<RuleSetShape, 'types'>, type: string): Rule | undefined =>
  Object.entries(types).find(([name]) => foldName(name) === type)?.[1]

/** The most points that the rules give for a category. */
export const mostPoints = ({ types }: Pick<RuleSetShape, 'types'>, category: string): number =>
  Object.values(types).reduce((sum, rule) => sum + (rule.category === category ? rule.max_score : 0), 0)

/** Returns the kind of raw value that the rule of a type accepts; `undefined` if the type has no rule. */
export function rawKindOf(rules: Pick<RuleSetShape, 'types'>, type: string): RawKind | undefined {
  const rule = ruleOf(rules, type)
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

/** Whether a rule gives all points for having a credential. */
export const isAllOrNothing = ({ convert, multiplier, max_score }: Rule): boolean =>
  convert === 'none' && multiplier >= max_score

/** The points for a number, or for a number of years if the rule counts years. */
export const pointsFor = ({ convert, multiplier, max_score }: Rule, amount: number): number =>
  Math.min(max_score, Math.max(0, Math.round(CONVERSIONS[convert].convert(amount) * multiplier)))

/** The smallest whole number that earns at least these points. The precision hides rounding errors of fractions. */
export const amountFor = ({ convert, multiplier }: Rule, points: number): number =>
  Math.ceil(Number(CONVERSIONS[convert].invert((points - 0.5) / multiplier).toPrecision(12)))

const CONVERSIONS = {
  none: { convert: Number, invert: Number },
  sqrt: { convert: Math.sqrt, invert: (root: number) => root ** 2 },
  ln: { convert: Math.log, invert: Math.exp },
  years: { convert: Number, invert: Number },
}

/** The numbers that earn about a quarter, a half, three quarters and all of the points, with their points. */
export function stepsOf(rule: Rule): [amount: number, points: number][] {
  const amounts = [0.25, 0.5, 0.75, 1].map((part) => amountFor(rule, Math.round(part * rule.max_score)))
  const isUsable = (amount: number) => amount > 0 && Number.isSafeInteger(amount)
  return [...new Set(amounts)].filter(isUsable).map((amount) => [amount, pointsFor(rule, amount)])
}

/** The names of credentials, by their folded type. */
export const namesOf = ({ types }: RuleSetShape): ReadonlyMap<string, string> =>
  new Map(Object.entries(types).map(([type, { name }]) => [foldName(type), name]))
