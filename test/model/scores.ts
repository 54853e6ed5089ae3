import type { Point, RecordCredential } from './facts.ts'
import type { Service, Stored } from './service.ts'

/** A credential as responses show it. `from` is absent where the docs leave the source open. */
export type ShownCredential = {
  id: string
  type: string
  name: string
  category: string
  score: number
  max_score: number
  value: string
  from: 'record' | 'rule'
}

export type Scores = {
  score: number
  activity_score: number
  identity_score: number
  skills_score: number
  human_checkmark: boolean
  credentials: readonly ShownCredential[]
}

export type Rule = {
  name: string
  category: string
  max_score: number
  convert: 'none' | 'sqrt'
  multiplier: number
  accounts: 'best' | 'sum'
  proves_human: boolean
  unique?: 'first'
}
export type RuleSet = { version: string; caps?: Record<string, number>; types: Record<string, Rule> }

const CATEGORIES = { Activity: 'activity_score', Identity: 'identity_score', Skills: 'skills_score' } as const

/** The credentials and scores that rules and the record give a passport. Without credentials, it has the score of its record. */
export function calculate(service: Service, id: number, rules = service.rules): Scores {
  const { record, points } = service.passport(id)
  // Of accounts with equal points, the first one gives the text.
  const sorted = [...points.values()].toSorted((one, other) => compare(one.account, other.account))
  const calculated = Map.groupBy(sorted, ({ type }) => type)
    .entries()
    .toArray()
    .flatMap(([type, all]) => {
      const rule = rules.types[type]
      return rule ? [byRule(service, id, rule, all)] : []
    })
  const kept = record.credentials.filter(({ type }) => calculated.every((other) => other.type !== type))
  return addUp([...kept.map(byRecord), ...calculated], record, rules)
}

export function addUp(
  credentials: readonly ShownCredential[],
  record: Stored['record'],
  rules: RuleSet,
): Scores {
  const sums = { activity_score: 0, identity_score: 0, skills_score: 0 }
  let score = credentials.length === 0 ? record.score : 0
  for (const [category, field] of Object.entries(CATEGORIES)) {
    const sum = credentials
      .filter((each) => each.category === category)
      .reduce((total, each) => total + each.score, 0)
    sums[field] = round(sum)
    score += Math.min(sum, rules.caps?.[category] ?? Number.POSITIVE_INFINITY)
  }
  const isProved = credentials.some(({ type, score }) => score > 0 && rules.types[type]?.proves_human)
  return {
    score: round(score),
    ...sums,
    human_checkmark: record.human_checkmark || isProved,
    credentials: credentials.toSorted(inOrder),
  }
}

const round = (score: number) => Math.round(score * 100) / 100

/** Highest score first, then by name, then by id. */
const inOrder = (one: ShownCredential, other: ShownCredential) =>
  other.score - one.score || compare(one.name, other.name) || compare(one.id, other.id)

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const byRecord = ({ score, ...credential }: RecordCredential): ShownCredential => ({
  ...credential,
  score: Math.min(score, credential.max_score),
  from: 'record',
})

function byRule(service: Service, id: number, rule: Rule, points: readonly Point[]): ShownCredential {
  const { type } = points[0] as Point
  const counting = points.filter((point) => isFirst(service, id, rule, point))
  // If no account counts, the credential is shown with 0 points.
  const scored = points.map((point) => ({
    point,
    score: counting.includes(point) ? pointsOf(rule, amountOf(point)) : 0,
  }))
  const candidates = scored.filter(({ point }) => counting.length === 0 || counting.includes(point))
  const best = candidates.reduce((leader, each) => (each.score > leader.score ? each : leader))
  const isSum = rule.accounts === 'sum' && counting.length > 1
  const sum = counting.reduce((total, point) => total + amountOf(point), 0)
  return {
    id: 'by rule',
    type,
    name: rule.name,
    category: rule.category,
    score: isSum ? pointsOf(rule, sum) : best.score,
    max_score: rule.max_score,
    value: isSum ? String(sum) : textOf(best.point),
    from: 'rule',
  }
}

const amountOf = ({ value }: Point) => Number(value)

const textOf = ({ display, value }: Point) =>
  display || (value === true ? 'Verified' : value === false ? 'Not verified' : String(value))

const pointsOf = ({ convert, multiplier, max_score }: Rule, amount: number) =>
  Math.max(0, Math.min(Math.round((convert === 'sqrt' ? Math.sqrt(amount) : amount) * multiplier), max_score))

/** Whether the passport that had this account first is this one. A merged passport counts as its survivor. */
function isFirst(service: Service, id: number, rule: Rule, { type, account }: Point): boolean {
  if (rule.unique === undefined || account === '') return true
  const [first] = service
    .stored()
    .flatMap((stored) => [...stored.points.values()].map((point) => ({ owner: stored.id, ...point })))
    .filter((point) => point.type === type && foldAccount(point.account) === foldAccount(account))
    .toSorted((one, other) => one.added - other.added || one.owner - other.owner)
  return first !== undefined && service.survivorOf(first.owner) === service.survivorOf(id)
}

const foldAccount = (account: string) => account.trim().replace(/^@/, '').toLowerCase()
