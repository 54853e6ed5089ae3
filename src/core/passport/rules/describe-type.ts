import { count, number } from '../../basics/text/counts-and-sizes.ts'
import known from './known-credentials.json' with { type: 'json' }
import { amountFor, isAllOrNothing, type Rule } from './rule-set.ts'

/** General knowledge about a type of credential. How many points it earns depends on the rules alone. */
type KnownCredential = {
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

/** Says what a credential is, in the words of its rule, or for an unknown type, what gives the points. */
export function describeType(type: string, rule: Rule | undefined): string {
  const about = rule?.description ?? findKnown(type)?.about
  if (rule === undefined)
    return about ?? 'Imported records have this credential and its points. This site has no rule for it.'
  const most = `${isAllOrNothing(rule) ? '' : 'up to '}${count(rule.max_score, 'point')}`
  const unknown = `The rules of this site give ${most} for this credential. They do not describe it further.`
  return `${about ?? unknown}${rule.proves_human ? ' People who have it are marked as human.' : ''}`
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
