import { number } from '../../basics/text/counts-and-sizes.ts'
import { type Credential, roundScore } from '../credential.ts'
import { readRawValue } from '../data-point.ts'
import { countUnit } from './describe-type.ts'
import { amountFor, pointsFor, type RuleSetShape, ruleOf } from './rule-set.ts'

/** A way to gain points. `words` is such as "122 more transactions: +3". */
export type NextStep = Pick<Credential, 'type' | 'name' | 'category' | 'score' | 'maxScore'> & {
  gain: number
  words: string
}

type Person = {
  credentials: readonly Credential[]
  types: RuleSetShape['types']
  /** The points that a category may still gain: 0 if it does not count. */
  roomOf(category: string): number
}

const MOST_STEPS = 4

/** The steps of the credentials with the most points left, the largest gain first. Steps that need time are last. */
export const findNextSteps = ({ credentials, types, roomOf }: Person): NextStep[] =>
  credentials
    .flatMap((credential) => {
      const { type, maxScore, score, category } = credential
      // Without points and without a rule, nothing is known about how to earn it.
      if (score <= 0 && !ruleOf({ types }, type)) return []
      const left = roundScore(Math.min(roomOf(category), maxScore - score))
      return left > 0 ? [{ credential, left }] : []
    })
    .sort((one, other) => other.left - one.left)
    .slice(0, MOST_STEPS)
    .map(({ credential, left }) => ({ ...credential, ...findStep(credential, left, types) }))
    .sort((one, other) => Number(isTime(one)) - Number(isTime(other)) || other.gain - one.gain)

const isTime = ({ words }: Pick<NextStep, 'words'>) => words.startsWith(ONLY_TIME)

const ONLY_TIME = 'only time helps: '

/** Finds what adds points, or else says how many points are `left`. */
function findStep(credential: Credential, left: number, types: Person['types']) {
  const { type, score, maxScore, value } = credential
  const rule = ruleOf({ types }, type)
  const unknown = { gain: left, words: `up to ${number(left)} more points` }
  if (rule?.convert === 'years')
    return { gain: rule.multiplier, words: `${ONLY_TIME}+${number(rule.multiplier)} a year` }
  const raw = readRawValue(credential, 'number')
  if (!rule || raw?.kind !== 'number') return unknown
  const own = { ...rule, max_score: maxScore }
  // A step is about a fifth of the points that are left.
  const step = Math.max(1, Math.round(left / 5))
  const target = amountFor(own, score + step)
  const gain = Math.min(left, pointsFor(own, target) - score)
  if (pointsFor(own, raw.amount) !== score || !Number.isSafeInteger(target) || gain <= 0) return unknown
  return { gain, words: `${describeAmount(value, raw.amount, target)}: +${number(gain)}` }
}

const MAX_UNIT_LENGTH = 30

/** Keeps the words of the value: "122 more transactions", "Level 3 instead of 2". */
function describeAmount(value: string, amount: number, target: number): string {
  const [, label = '', word = ''] = /^(?:(\p{L}\D*?):? )?[\d,.]+(?: (\p{L}.*))?$/u.exec(value) ?? []
  const unit = word.slice(0, MAX_UNIT_LENGTH)
  if (unit === '')
    return `${label.slice(0, MAX_UNIT_LENGTH)} ${number(target)} instead of ${number(amount)}`.trimStart()
  const isPlural = amount !== 1 && /^[A-Za-z][a-z ]+s$/.test(unit)
  return countUnit(roundScore(target - amount), `more ${isPlural ? unit.slice(0, -1) : unit}`)
}
