import type { RawValue } from '../domain/data-point.ts'
import type { Calculation } from '../domain/explanation.ts'
import type { Rule } from './stamped-rule-set.ts'

const YEAR = 365 * 86_400_000

/** `min(round(convert(value) x multiplier), max_score)`, never below 0. */
export function toPoints(value: RawValue, rule: Rule, now: number) {
  const wrong = mismatch(value, rule)
  if (wrong) return { points: 0, formula: wrong }
  const { result, text } = CONVERSIONS[rule.convert](value.amount, now)
  // Infinity times zero is NaN: it counts as 0.
  const points = Math.min(Math.max(0, Math.round(result * rule.multiplier) || 0), rule.max_score)
  return { points, formula: `min(round(${text} × ${rule.multiplier}), ${rule.max_score}) = ${points}` }
}

/** The calculation for readers: "√9 × 6 = 18, at most 40". */
export function describeCalculation({ raw, rule, now }: Calculation): string {
  const wrong = mismatch(raw, rule)
  if (wrong) return wrong
  if (raw.kind === 'flag') return `${toPoints(raw, rule, now).points} of ${rule.max_score} points`
  const { result, text } = CONVERSIONS[rule.convert](raw.amount, now)
  const exact = result * rule.multiplier
  const rounded = Math.max(0, Math.round(exact) || 0)
  const shown = Math.round(exact * 100) / 100
  const rounding = shown === rounded || rounded > rule.max_score ? '' : `, rounded to ${rounded}`
  return `${text} × ${rule.multiplier} = ${shown}${rounding}, at most ${rule.max_score}`
}

function mismatch({ kind }: RawValue, { convert }: Rule): string | undefined {
  if (convert === 'years' && kind !== 'date')
    return `0: the rule counts years since a date, the value is a ${kind}`
  if (convert !== 'years' && kind === 'date') return '0: the rule needs a number, the value is a date'
  return undefined
}

type Convert = (amount: number, now: number) => { result: number; text: string }

const CONVERSIONS: Readonly<Record<Rule['convert'], Convert>> = {
  none: (amount) => ({ result: amount, text: String(amount) }),
  sqrt: (amount) => ({ result: Math.sqrt(Math.max(0, amount)), text: `√${amount}` }),
  ln: (amount) => ({ result: amount > 0 ? Math.log(amount) : 0, text: `ln ${amount}` }),
  years(amount, now) {
    const years = Math.round(((now - amount) / YEAR) * 100) / 100
    return { result: years, text: `${years} years since ${new Date(amount).toISOString().slice(0, 10)}` }
  },
}
