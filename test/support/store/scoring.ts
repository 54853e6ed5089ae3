import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import type { PassportRef } from '../../../src/core/passport/passport.ts'
import { rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES, type RuleSet, toAppliedRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { RULE_SETS } from './open.ts'
import { dataPoint, NOON } from './records.ts'

export {
  createExplainer,
  createPassportExplainer,
  findExplanation,
} from '../../../src/core/scoring/explain-score.ts'
export { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
export { parseRules } from '../../../src/core/scoring/rules-format.ts'
export {
  DEFAULT_RULES,
  findRules,
  stampRules,
  toAppliedRules,
  toRuleSet,
} from '../../../src/core/scoring/stamped-rule-set.ts'

export const LATER = NOON + 1000
export const OPTIONS = { now: NOON, restore: false }

export const fail = (id: number, error: unknown) => {
  throw new Error(`passport ${id}`, { cause: error })
}

/** A scorer whose failures fail the test. */
export const scorerOf = (store: Store, rules = DEFAULT_RULES) => ({
  store,
  rules,
  now: () => LATER,
  onFailure: fail,
})

/** Makes these rules the active ones, for the next `adoptRules`. */
export const applyRules = (store: Store, rules: RuleSet, at = NOON) =>
  store.data(RULE_SETS).apply(toAppliedRules(rules, 'apply', at))

/** Scores every passport that needs a new score. */
export async function scoreNow(store: Store, rules = DEFAULT_RULES): Promise<void> {
  while (await rescoreSome(scorerOf(store, rules)));
}

export const contracts = (amount: number) => dataPoint('base_builder', amount, '', `${amount} contracts`)

export const hand = (store: Store, passport: PassportRef, point: DataPoint) =>
  store.records.save([{ kind: 'data-point', passport, point }], OPTIONS)

export const find = async (store: Store, id: number) => await store.passports.find({ id })
