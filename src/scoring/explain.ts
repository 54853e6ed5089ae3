import type { ExplainedPassport, Explanation } from '../domain/explanation.ts'
import type { PassportRef } from '../domain/passport.ts'
import type { Scorable } from '../store/scoring-store.ts'
import type { Store } from '../store/store.ts'
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

type Calculated = { id: number; rules: string; calculatedAt: number }

/** Explains stored scores. Each explanation uses the rule set and the time of the score's calculation. */
export function createExplainer(store: Store) {
  return async (passports: readonly Calculated[]): Promise<Map<number, Explanation>> => {
    // Only the active rule set watches accounts: scores by earlier ones depend on no other passport any more.
    const active = await findRules(store)
    const ids = passports.map(({ id }) => id)
    const evidence = await store.scoring.listByIds(ids, watchedTypesOf(active))
    const byId = new Map(evidence.map((each) => [each.id, each]))
    const rulesOf = await findEarlierRules(store, active, new Set(passports.map(({ rules }) => rules)))
    const explanations = new Map<number, Explanation>()
    for (const [at, { id, rules, calculatedAt }] of passports.entries()) {
      if (at > 0 && at % PER_TURN === 0) await new Promise(setImmediate)
      const scorable = byId.get(id)
      if (scorable) explanations.set(id, explain(scorable, rulesOf(rules), calculatedAt))
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
    const { passport, rules: stamp } = evidence
    const rules = (await findEarlierRules(store, active, new Set([stamp])))(stamp)
    return { ...explain(evidence, rules, passport.calculatedAt), rules: rules.version, passport }
  }
}

function explain(scorable: Scorable, rules: RuleSet, now: number): Explanation {
  const { scores, lines } = score(scorable, rules, now)
  return { scores, lines, rules: rules.stamp, caps: rules.caps ?? {} }
}

/** Returns a function that finds rule sets by stamp. For an empty or unknown stamp, it returns `active`. */
async function findEarlierRules(store: Store, active: RuleSet, stamps: ReadonlySet<string>) {
  const earlier = [...stamps].filter((stamp) => stamp !== '' && stamp !== active.stamp)
  const found = earlier.length > 0 ? await store.rules.listByStamps(earlier) : []
  const known = new Map(found.map((each) => [each.stamp, toRuleSet(each)]))
  return (stamp: string): RuleSet => known.get(stamp) ?? active
}
