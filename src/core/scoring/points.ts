import type { ScorablePoint } from '../passport/data-point.ts'
import type { Calculation } from '../passport/rules/explanation.ts'
import type { Rule } from './stamped-rule-set.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY

/** `min(round(convert(value) x multiplier), max_score)`, at least 0. `words` is for readers: "√9 × 6 = 18". */
export function toPoints(calculation: Calculation) {
  const { raw, rule, now, note = '' } = calculation
  const wrong = mismatch(calculation)
  if (wrong) return { points: 0, formula: wrong, words: wrong }
  const { result, text } = CONVERSIONS[rule.convert](raw.amount, now)
  const exact = result * rule.multiplier
  // Infinity times zero is NaN: it counts as 0.
  const rounded = Math.max(0, Math.round(exact) || 0)
  const points = Math.min(rounded, rule.max_score)
  const twoDigits = Math.round(exact * 100) / 100
  const rounding = twoDigits === rounded || rounded > rule.max_score ? '' : `, rounded to ${rounded}`
  return {
    points,
    formula: `min(round(${text} × ${rule.multiplier}), ${rule.max_score}) = ${points}${note}`,
    words:
      raw.kind === 'flag'
        ? `${points} of ${rule.max_score} points${note}`
        : `${text} × ${rule.multiplier} = ${twoDigits}${rounding}, at most ${rule.max_score}${note}`,
  }
}

/** Returns the milliseconds of a number of days such as "90d", up to 9999 days, or `undefined` for another text. */
export const parseDays = (text: string): number | undefined =>
  /^[1-9]\d{0,3}d$/.test(text) ? Number.parseInt(text, 10) * DAY : undefined

/** When a data point ceases to count; `undefined` if it never does, or if its age is unknown. */
export function expiryOf({ earnedAt, addedAt }: ScorablePoint, { expires = '' }: Rule): number | undefined {
  const [since, lifetime] = [earnedAt ?? addedAt, parseDays(expires)]
  return since === undefined || lifetime === undefined ? undefined : since + lifetime
}

/** The inputs of the points of one data point. */
export function toCalculation(point: ScorablePoint, rule: Rule, now: number): Calculation {
  const inputs = { raw: point.value, rule, now }
  // Mentions no other passport, because that one may be hidden.
  if (rule.unique && point.isTaken) return { ...inputs, obstacle: 'this account does not count here' }
  const end = expiryOf(point, rule)
  if (end === undefined) return inputs
  if (end <= now) return { ...inputs, obstacle: `expired on ${dayOf(end)}` }
  return { ...inputs, note: `, counts until ${dayOf(end)}` }
}

/** Not from `text/instant.ts`, because the page /verify runs this file without its imports. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Why the result is 0, whatever the value is. */
function mismatch({ raw: { kind }, rule: { convert }, obstacle }: Calculation): string | undefined {
  if (obstacle !== undefined) return `0: ${obstacle}`
  if (convert === 'years' && kind !== 'date')
    return `0: the rule counts years since a date, the value is a ${kind}`
  if (convert !== 'years' && kind === 'date') return '0: the rule needs a number, the value is a date'
  return undefined
}

type Convert = (amount: number, now: number) => { result: number; text: string }

const CONVERSIONS: Readonly<Record<Rule['convert'], Convert>> = {
  none: (amount) => ({ result: amount, text: String(amount) }),
  sqrt: (amount) => ({ result: Math.sqrt(Math.max(0, amount)), text: `√${amount}` }),
  ln: (amount) => ({ result: amount > 0 ? Math.log(amount) : 0, text: `ln(${amount})` }),
  years(amount, now) {
    const years = Math.round(((now - amount) / YEAR) * 100) / 100
    return { result: years, text: `${years} years since ${dayOf(amount)}` }
  },
}
