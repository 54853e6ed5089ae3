import { isDeepStrictEqual } from 'node:util'
import { isScored } from '../passport/credential.ts'
import type { PassportRef } from '../passport/passport.ts'
import type { ExplainedPassport, Explanation } from '../passport/rules/explanation.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import type { Store } from '../store/store.ts'
import type { Evidence } from '../store/write/apply-score.ts'
import { score } from './score.ts'
import { findRules, type RuleSet, toRuleSet, watchedTypesOf } from './stamped-rule-set.ts'

/** Calculates the score with `rules`. If responses show another score, the notes say why. */
export async function findExplanation(store: Store, ref: PassportRef, rules: RuleSet, now: number) {
  const evidence = await store.scoring.find(ref, watchedTypesOf(rules))
  if (!evidence) return undefined
  const { passport, rules: used } = evidence
  const outcome = score(evidence, rules, now)
  const notes: string[] = []
  if ('id' in ref && ref.id !== passport.id) notes.push(`Passport ${ref.id} is merged into ${passport.id}.`)
  if (passport.stale) notes.push('A new score is being calculated: responses still show the old score.')
  else if (outcome.scores.total !== passport.scores.total) {
    const earlier = used === rules.stamp ? 'an earlier calculation' : `rule set ${used}, not ${rules.stamp}`
    const by = used === '' ? 'its record' : earlier
    notes.push(
      `Responses show ${passport.scores.total}, by ${by}. "passportd score --all" calculates it again.`,
    )
  }
  return { passport, outcome, notes }
}

/** Scores that are explained in one turn of the event loop. */
const PER_TURN = 50

/** Explains stored scores. Each explanation uses the rule set and the time of the score's calculation. */
export function createExplainer(store: Store) {
  return async (passports: readonly { id: number }[]): Promise<Map<number, Explanation>> => {
    // Only the active rule set watches accounts: scores by earlier ones depend on no other passport any more.
    const active = await findRules(store)
    const ids = passports.map(({ id }) => id)
    const evidence = await store.scoring.listByIds(ids, watchedTypesOf(active))
    const rulesOf = await findEarlierRules(store, active, new Set(evidence.map(({ rules }) => rules)))
    const explanations = new Map<number, Explanation>()
    for (const [at, passport] of evidence.entries()) {
      if (at > 0 && at % PER_TURN === 0) await new Promise(setImmediate)
      explanations.set(passport.id, explainCredentials(passport, rulesOf(passport.rules)))
    }
    return explanations
  }
}

/** Explains the stored score of one passport. The passport and its evidence are read together. */
export function createPassportExplainer(store: Store) {
  return async (ref: PassportRef): Promise<ExplainedPassport | undefined> => {
    const active = await findRules(store)
    const evidence = await store.scoring.find(ref, watchedTypesOf(active))
    if (!evidence) return undefined
    const { rules, event } = evidence
    return {
      ...explainCredentials(evidence, (await findEarlierRules(store, active, new Set([rules])))(rules)),
      event,
    }
  }
}

const BY_RECORD = { method: 'record', rules: null, version: '', caps: {} } as const
const NO_RULES: RuleSet = { version: '', stamp: '', types: {} }

/** Uses the first rule set that gives the stored scores. While the scores are being calculated, the first one. */
function explainCredentials(evidence: Evidence, candidates: readonly RuleSet[]): Explanation {
  const { passport, givenHuman } = evidence
  const { calculatedAt, stale } = passport
  for (const rules of candidates) {
    const { scores, lines, human, credentials } = score(evidence, rules, calculatedAt)
    if (!stale && !(human === passport.human && isDeepStrictEqual(scores, passport.scores))) continue
    if (!isScored(credentials)) return { passport, scores, lines, givenHuman, ...BY_RECORD }
    const { stamp, version, caps = {} } = rules
    return { passport, scores, lines, method: 'rules', rules: stamp, version, caps, givenHuman }
  }
  const { scores, lines } = score({ ...evidence, dataPoints: [] }, NO_RULES, calculatedAt)
  return { passport, scores, lines, givenHuman, ...BY_RECORD }
}

/**
 * Returns a function that finds the rule sets that may have given a score: the one with this stamp, and the active one,
 * which keeps the stamp of scores that it does not change. No rule set gives scores without a stamp.
 */
async function findEarlierRules(store: Store, active: RuleSet, stamps: ReadonlySet<string>) {
  const earlier = [...stamps].filter((stamp) => stamp !== '' && stamp !== active.stamp)
  const rows = earlier.length > 0 ? await store.data(RULE_SETS).listByStamps(earlier) : []
  const known = new Map(rows.map((row) => [row.stamp, toRuleSet(row)]))
  return (stamp: string): RuleSet[] => (stamp === '' ? [] : [known.get(stamp) ?? active, active])
}
