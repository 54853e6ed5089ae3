import { count, number } from '../../basics/text/counts-and-sizes.ts'
import { foldName } from '../../basics/text/fold-name.ts'
import known from './known-credentials.json' with { type: 'json' }
import { amountFor, findRule, isAllOrNothing, pointsFor, type Rule, type RuleSetShape } from './rule-set.ts'

/** General knowledge about a type of credential. How many points it earns depends on the rules alone. */
export type KnownCredential = {
  /** The service that the credential comes from. */
  source: string
  /** What it is, in one or two sentences. */
  about: string
  /** How to get it: "Register a .eth name". Absent if it cannot be earned any more, or only by invitation. */
  how?: string
  /** What its value counts, in the singular: "contract". */
  unit?: string
}

export const findKnown = (type: string): KnownCredential | undefined =>
  Object.hasOwn(known, type) ? known[type as keyof typeof known] : undefined

/** Says what a credential is, in the words of its rule if it has any. An unknown type is described by where its points come from. */
export function describeType(type: string, rule: Rule | undefined): string {
  const about = rule?.description ?? findKnown(type)?.about
  if (rule === undefined)
    return about ?? 'Imported records have this credential and its points. This site has no rule for it.'
  const most = `${isAllOrNothing(rule) ? '' : 'up to '}${count(rule.max_score, 'point')}`
  const unknown = `The rules of this site give ${most} for this credential. They do not describe it further.`
  return `${about ?? unknown}${rule.proves_human ? ' People who have it are marked as human.' : ''}`
}

/** Finds the types whose rules have a word in their names, or else in their descriptions, such as "hackathon". */
export function findTypesByWord(word: string, types: readonly { value: string }[], rules: RuleSetShape) {
  const singular = word.replace(/s$/, '')
  if (!/^\p{L}{5,}$/u.test(singular)) return []
  const pattern = new RegExp(`(?<!\\p{L})${singular}s?(?!\\p{L})`, 'iu')
  const known = types.flatMap(({ value }) => {
    const rule = findRule(rules, value)
    return rule ? [{ value, name: rule.name, about: describeType(value, rule) }] : []
  })
  const named = known.filter(({ name }) => pattern.test(name))
  const found = named.length > 0 ? named : known.filter(({ about }) => pattern.test(about))
  return found.map(({ value }) => value)
}

/** The units of credentials, such as "#contribution" and "#github contribution", with the points for compared amounts of them. */
export function findUnits({ types }: RuleSetShape) {
  // The first of several credentials with a unit is meant: the one with the most points.
  const sorted = Object.entries(types).sort(([, one], [, other]) => other.max_score - one.max_score)
  return sorted.flatMap(([type, rule]) => {
    const { unit = '' } = findKnown(type) ?? {}
    if (unit === '' || isAllOrNothing(rule)) return []
    // Neighbouring amounts earn the same points.
    const toPoints = (comparison: string) =>
      comparison.replace(
        /([<>])=?([\d.]+)/g,
        (_, sign, amount) => `${sign}=${pointsFor(rule, Number(amount))}`,
      )
    return [unit, `${rule.name} ${unit}`].map((words) => ({
      phrase: `#${foldName(words)}`,
      value: foldName(type),
      toPoints,
    }))
  })
}

/** How a rule turns a value into points, in words. */
export function describeRule(rule: Rule): string {
  const { convert, multiplier, max_score, accounts, unique, expires } = rule
  const isCounted = !isAllOrNothing(rule)
  const words = [
    isCounted
      ? CONVERSIONS[convert](multiplier, amountFor(rule, max_score))
      : `${count(max_score, 'point')} for having it.`,
    isCounted &&
      (accounts === 'sum' ? 'Several accounts are added up.' : 'Of several accounts, the best one counts.'),
    unique && 'An account counts only for the person who had it first.',
    expires && `It counts for ${count(Number.parseInt(expires, 10), 'day')}, then it must be renewed.`,
  ]
  return words.filter(Boolean).join(' ')
}

const CONVERSIONS: Record<Rule['convert'], (multiplier: number, full: number) => string> = {
  none: () => 'Twice as much earns twice the points.',
  sqrt: () => 'Four times as much earns twice the points.',
  ln: (multiplier) =>
    `Ten times as much earns about ${number(Math.round(multiplier * 23.03) / 10)} more points.`,
  years: (multiplier, full) =>
    `${count(multiplier, 'point')} for each year since the account was made, until it is ${count(full, 'year')} old. Nothing but time adds points.`,
}

/** Formats an amount: "1 contract", "2 contracts". Names such as "BUILD" have no plural. */
export const countUnit = (amount: number, unit: string): string =>
  /^[A-Za-z][a-z ]+$/.test(unit) ? count(amount, unit) : `${number(amount)} ${unit}`
