import type { FullPassport, PassportRef } from '../domain/passport.ts'
import type { Scorable, Store } from '../store/store.ts'
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
