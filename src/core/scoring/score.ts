import { stableId } from '../basics/text/stable-id.ts'
import { type Credential, isScored, roundScore, sumScores } from '../passport/credential.ts'
import { describeRawValue, type ScorablePoint, toCredentialPoint } from '../passport/data-point.ts'
import type { Calculation, ExplanationAccount, ExplanationLine } from '../passport/rules/explanation.ts'
import type { Scorable, ScoreResult } from '../store/write/apply-score.ts'
import { expiryOf, toCalculation, toPoints } from './points.ts'
import { type Rule, type RuleSet, ruleOf } from './stamped-rule-set.ts'

export type ExplainedScore = ScoreResult & { lines: ExplanationLine[] }

/** Scoring as a pure function of the stored facts, the rules and the time. */
export function score(passport: Scorable, rules: RuleSet, now: number): ExplainedScore {
  const points = [...passport.dataPoints, ...pointsWithoutScore(passport.recordCredentials, rules)]
  const groups = Map.groupBy(points, ({ type }) => type)
  const calculated = [...groups].flatMap(([type, points]) => {
    const rule = ruleOf(rules, type)
    return rule ? [calculate(passport, type, points, rule, now)] : []
  })
  const ruledTypes = new Set(calculated.map(({ credential }) => credential.type))
  // A data point supersedes the record's credential of the same type.
  const fromRecord = Map.groupBy(passport.recordCredentials, ({ type }) =>
    ruledTypes.has(type) ? 'superseded' : 'kept',
  )
  const kept = (fromRecord.get('kept') ?? []).map((credential) => keepRecorded(credential, now))
  const superseded = (fromRecord.get('superseded') ?? []).map((credential) => ({
    ...credential,
    superseded: true,
  }))
  const unruled = [...groups]
    .filter(([type]) => !ruleOf(rules, type))
    .map(([type, points]) => unscored(type, points))

  const results = [...kept, ...calculated]
  const counting = results.map(({ credential }) => credential)
  const ends = calculated.flatMap((result) => result.ends)
  return {
    scores: isScored(counting) ? sumScores(counting, rules.caps) : passport.givenScores,
    human:
      passport.givenHuman ||
      counting.some(({ type, score }) => score > 0 && ruleOf(rules, type)?.proves_human),
    credentials: [...counting, ...superseded],
    lines: [...results.map(({ line }) => line), ...unruled],
    ...(ends.length > 0 && { rescoreAt: Math.min(...ends) }),
  }
}

/** The credentials that the record did not score, although a rule can, because the rule came later than the record. */
const pointsWithoutScore = (credentials: readonly Credential[], rules: RuleSet): ScorablePoint[] =>
  credentials.flatMap((credential) => {
    const rule = credential.lacksScore ? ruleOf(rules, credential.type) : undefined
    return (rule && toCredentialPoint(credential, rule.convert === 'years' ? 'date' : 'number')) ?? []
  })

type Result = { credential: Credential; line: ExplanationLine }

/** Keeps the score that the record gives a credential, capped at the maximum of the credential. */
function keepRecorded(before: Credential, now: number): Result {
  const recordScore = before.givenScore ?? before.score
  const points = roundScore(Math.min(recordScore, before.maxScore))
  const capped = `${recordScore} in the record, ${before.maxScore} at most = ${points}`
  const recorded = before.lacksScore ? 'no score in the record' : `${points} in the record`
  const formula = recordScore > points ? capped : recorded
  const credential = withScore(before, points, now)
  const line = toLine(credential, 'record', formula)
  return { credential, line: recordScore === points ? line : { ...line, givenScore: recordScore } }
}

function withScore(before: Credential, score: number, now: number): Credential {
  if (score === before.score && !before.superseded) return before
  const { superseded: _, ...credential } = before
  return { ...credential, score, calculatedAt: score === before.score ? before.calculatedAt : now }
}

type Points = readonly ScorablePoint[]

function calculate(passport: Scorable, type: string, points: Points, rule: Rule, now: number) {
  const accounts = points.map((point) => toCounted(point, toCalculation(point, rule, now)))
  const counting = accounts.filter(({ calculation }) => calculation.obstacle === undefined)
  const candidates = counting.length > 0 ? counting : accounts
  const best = candidates.reduce((leader, candidate) =>
    candidate.points > leader.points ? candidate : leader,
  )
  const counted = rule.accounts === 'sum' && counting.length > 1 ? countPoints(counting) : best
  const credential: Credential = {
    id: freeId(passport, type),
    type,
    name: rule.name,
    category: rule.category,
    score: counted.points,
    maxScore: rule.max_score,
    value: counted.point.display || describeRawValue(counted.point.value),
    ...(counted.point.earnedAt !== undefined && { earnedAt: counted.point.earnedAt }),
    calculatedAt: now,
    ...(counted.point.issuer !== undefined && { issuer: counted.point.issuer }),
  }
  const entries = accounts.map(({ point, formula, calculation }) =>
    toAccount(point, formula, calculation.obstacle),
  )
  const ends = counting.flatMap(({ point }) => expiryOf(point, rule) ?? [])
  const line = toLine(credential, 'rule', counted.formula, entries)
  const { calculation, words } = counted
  return { credential, line: { ...line, calculation, words }, ends }
}

const toCounted = (point: ScorablePoint, calculation: Calculation) => ({
  point,
  ...toPoints(calculation),
  calculation,
})

type Counted = ReturnType<typeof toCounted>

/** Sums raw values, except dates. The sum has the earliest `earnedAt` and expiry, and the issuer if there is one. */
function countPoints(all: readonly Counted[]) {
  const points = all.map(({ point }) => point).filter(({ value }) => value.kind !== 'date')
  const sum = points.reduce((total, { value }) => total + value.amount, 0)
  // The precision hides rounding errors of fractions.
  const amount = Number(sum.toPrecision(12))
  const earned = points.flatMap(({ earnedAt }) => earnedAt ?? [])
  const [issuer, ...otherIssuers] = new Set(points.map((point) => point.issuer))
  const value = { kind: 'number', amount } as const
  const [note = ''] = all.flatMap(({ calculation }) => calculation.note ?? []).sort()
  const { rule, now } = (all[0] as Counted).calculation
  const point: ScorablePoint = {
    type: points[0]?.type ?? '',
    account: '',
    value,
    display: '',
    ...(earned.length > 0 && { earnedAt: Math.min(...earned) }),
    ...(issuer !== undefined && otherIssuers.length === 0 && { issuer }),
  }
  return toCounted(point, { raw: value, rule, now, note })
}

function unscored(type: string, points: Points): ExplanationLine {
  const accounts = points.map((point) => toAccount({ ...point, display: '' }, ''))
  const nothing = { type, name: type, category: '', score: 0, maxScore: 0, value: '' }
  return toLine(nothing, 'nothing', 'no rule for this type', accounts)
}

const toAccount = (point: ScorablePoint, formula: string, obstacle?: string): ExplanationAccount => ({
  account: point.account,
  value: point.display || describeRawValue(point.value),
  raw: point.value,
  formula,
  ...(obstacle !== undefined && { obstacle }),
  ...(point.issuer !== undefined && { issuer: point.issuer }),
})

function toLine(
  { type, name, category, score, maxScore, value }: Omit<ExplanationLine, 'from' | 'formula' | 'accounts'>,
  from: ExplanationLine['from'],
  formula: string,
  accounts: ExplanationLine['accounts'] = [],
): ExplanationLine {
  return { type, name, category, score, maxScore, value, from, formula, accounts }
}

/** A reproducible id that no other credential of the passport has. */
function freeId({ id, recordCredentials }: Scorable, type: string): string {
  for (let attempt = ''; ; attempt += '+') {
    const free = stableId(`${id}:${type}${attempt}`)
    if (recordCredentials.every((credential) => credential.id !== free)) return free
  }
}
