import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES, stampRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { readFrozen } from '../../support/frozen/frozen-versions.ts'
import { onBothEngines } from '../../support/store/engines.ts'
import { PEOPLE, step, take } from '../../support/store/random-histories.ts'
import { NOON } from '../../support/store/records.ts'
import { applyRules, contracts, scorerOf } from '../../support/store/scoring.ts'

const { stamp: _, ...shape } = DEFAULT_RULES
const RULE_SETS = [DEFAULT_RULES, stampRules({ ...shape, version: 'capped', caps: { Skills: 12 } })]

const id = fc.nat({ max: PEOPLE - 1 })
const change = fc.oneof(
  { weight: 10, arbitrary: step },
  { weight: 1, arbitrary: fc.record({ hide: id, hidden: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ issued: id, issuer: fc.constantFrom('hub', 'lab') }) },
  { weight: 1, arbitrary: fc.constantFrom(...RULE_SETS).map((rules) => ({ rules })) },
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** The clock stands still, so that no event exists only because a time has changed. */
async function apply(store: Store, scorer: ReturnType<typeof scorerOf>, each: Change): Promise<void> {
  if ('hide' in each)
    return void (await Promise.resolve(store.passports.hide(each.hide, each.hidden, NOON)).catch(() => 0))
  if ('issued' in each) {
    const point = { ...contracts(4), issuer: each.issuer }
    await store.records.save([{ kind: 'data-point', passport: { id: each.issued }, point }], {
      now: NOON,
      restore: false,
    })
    return take(store, scorer, { score: true })
  }
  if (!('rules' in each)) return take(store, scorer, each)
  await applyRules(store, each.rules)
  await adoptRules(Object.assign(scorer, { rules: each.rules }))
}

/** All responses of each listed passport, without `calculating_score`. */
async function readResponses(store: Store): Promise<Map<number, string>> {
  const responses = new Map<number, string>()
  for (let at = 0; at < PEOPLE; at++) {
    const [found] = await store.passports.findByKeys([{ id: at }], { credentials: true })
    if (!found || !('passport' in found)) continue
    const { stale: __, ...passport } = found.passport
    const ref = { id: passport.id }
    const frozen = JSON.stringify(await readFrozen(store, ref))
    responses.set(passport.id, JSON.stringify([passport, frozen.replace(/"calculating_score\W+\w+/g, '')]))
  }
  return responses
}

onBothEngines('the event log', (open, engine) => {
  test('each change of a response has an event that names the passport', async () => {
    const check = async (changes: readonly Change[]) => {
      await using store = await open()
      const scorer = { ...scorerOf(store), now: () => NOON }
      await adoptRules(scorer)
      let before = await readResponses(store)
      let { cursor } = await store.listing.readEnd()
      for (const each of changes) {
        await apply(store, scorer, each)
        const after = await readResponses(store)
        const changed = await store.listing.readChanges(cursor)
        const named = new Set(changed?.ids)
        const ids = new Set([...before.keys(), ...after.keys()])
        const silent = [...ids].filter((one) => before.get(one) !== after.get(one) && !named.has(one))
        expect({ each, silent: silent.map((one) => [before.get(one), after.get(one)]) }).toEqual({
          each,
          silent: [],
        })
        before = after
        cursor = changed?.cursor ?? ''
      }
    }
    const runs = { numRuns: engine === 'sqlite' ? 20 : 2, seed: 7 }
    await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), check), runs)
  })
})
