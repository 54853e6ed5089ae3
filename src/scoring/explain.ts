import type { Explanation } from '../domain/explanation.ts'
import type { FullPassport, PassportRef } from '../domain/passport.ts'
import type { Scorable, Store } from '../store/store.ts'
import { findRules, toRuleSet } from './active-rules.ts'
import type { RuleSet } from './rules.ts'
import { type ExplainedScore, score } from './score.ts'

/** Calculates the score with the current rules and says why responses may show another one. */
export async function findExplanation(store: Store, ref: PassportRef, rules: RuleSet, now: number) {
  const evidence = await store.scoring.find(ref)
  if (!evidence) return undefined
  const { passport } = evidence
  const outcome = score(evidence, rules, now)
  return { passport, outcome, notes: notes(passport, evidence, outcome, rules, ref) }
}

function notes(
  passport: FullPassport,
  { rules: used }: Scorable,
  { scores }: ExplainedScore,
  rules: RuleSet,
  ref: PassportRef,
): string[] {
  const found: string[] = []
  if ('id' in ref && ref.id !== passport.id) found.push(`Passport ${ref.id} is merged into ${passport.id}.`)
  if (passport.stale) found.push('A new score is being calculated: responses still show the old score.')
  else if (scores.total !== passport.scores.total) {
    const by =
      used === ''
        ? 'its record'
        : used === rules.stamp
          ? 'an earlier calculation'
          : `rule set ${used}, not ${rules.stamp}`
    found.push(
      `Responses show ${passport.scores.total}, by ${by}. "passportd score --all" calculates it again.`,
    )
  }
  return found
}

/** Scores that are explained in one turn of the event loop. */
const PER_TURN = 50

type Calculated = { id: number; rules: string; calculatedAt: number }

/** Explains the stored scores: by the rule set and at the time of their calculation. */
export function createExplainer(store: Store) {
  const known = new Map<string, RuleSet>()

  /** Rule sets by stamp. One that is not stored, or no rule set at all, is replaced by the active one. */
  async function findRuleSets(stamps: ReadonlySet<string>): Promise<(stamp: string) => RuleSet> {
    const missing = [...stamps].filter((stamp) => stamp !== '' && !known.has(stamp))
    if (missing.length > 0)
      for (const each of await store.rules.listByStamps(missing)) known.set(each.stamp, toRuleSet(each))
    const active = await findRules(store)
    return (stamp) => known.get(stamp) ?? active
  }

  return async (passports: readonly Calculated[]): Promise<Map<number, Explanation>> => {
    const evidence = await store.scoring.listByIds(passports.map(({ id }) => id))
    const byId = new Map(evidence.map((each) => [each.id, each]))
    const rulesOf = await findRuleSets(new Set(passports.map(({ rules }) => rules)))
    const explanations = new Map<number, Explanation>()
    for (const [at, { id, rules: stamp, calculatedAt }] of passports.entries()) {
      if (at > 0 && at % PER_TURN === 0) await new Promise(setImmediate)
      const [scorable, rules] = [byId.get(id), rulesOf(stamp)]
      if (!scorable) continue
      const { scores, lines } = score(scorable, rules, calculatedAt)
      explanations.set(id, { scores, lines, rules: rules.stamp, caps: rules.caps ?? {} })
    }
    return explanations
  }
}
