import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LogEvent, ScoreState } from '../../../src/core/history/event.ts'
import { undo } from '../../../src/core/history/undo.ts'
import { roundScore } from '../../../src/core/passport/credential.ts'
import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES, type RuleSet, stampRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { onBothEngines } from '../../support/store/engines.ts'
import { diffOf, listLater } from '../../support/store/events-after-time.ts'
import { step, take } from '../../support/store/random-histories.ts'
import { readStates } from '../../support/store/read-score-states.ts'
import { NOON } from '../../support/store/records.ts'
import { applyRules, scorerOf } from '../../support/store/scoring.ts'

const DAY = 86_400_000
const { stamp: _, ...shape } = DEFAULT_RULES
const github = { ...(shape.types.github as (typeof shape.types)[string]) }

const RULE_SETS: readonly RuleSet[] = [
  DEFAULT_RULES,
  stampRules({ ...shape, version: 'capped', caps: { Identity: 5, Skills: 12 } }),
  stampRules({
    ...shape,
    version: 'other',
    types: { ...shape.types, github: { ...github, multiplier: 3, name: 'Code' } },
  }),
  stampRules({
    ...shape,
    version: 'unique and expiring',
    types: { ...shape.types, github: { ...github, unique: 'first', expires: '90d' } },
  }),
  stampRules({
    ...shape,
    version: 'few',
    types: { github: { ...github, category: 'Hobbies', max_score: 7 } },
  }),
]

const history = fc.array(
  fc.record({
    change: fc.oneof(
      { weight: 8, arbitrary: step },
      { weight: 2, arbitrary: fc.constantFrom(...RULE_SETS).map((rules) => ({ rules })) },
      { weight: 1, arbitrary: fc.constant({ scoreAll: true }) },
    ),
    days: fc.integer({ min: 0, max: 200 }),
  }),
  { minLength: 20, maxLength: 40 },
)

type Moment = { time: number; states: ReadonlyMap<number, ScoreState>; removals: number[] }

onBothEngines('random histories', (open, engine) => {
  const options = { numRuns: engine === 'sqlite' ? 5 : 1, seed: 21 }

  test('undoing events restores every earlier state of a passport, and causes add up to score changes', async () => {
    const check = async (steps: typeof history extends fc.Arbitrary<infer T> ? T : never) => {
      await using store = await open()
      const moments: Moment[] = []
      let time = NOON
      let rules = DEFAULT_RULES
      for (const { change, days } of steps) {
        time += days * DAY + 1
        const now = time
        const scorer = { ...scorerOf(store), rules, now: () => now }
        if ('rules' in change) {
          rules = change.rules
          await applyRules(store, rules, now)
          await adoptRules({ store, rules })
        } else if ('scoreAll' in change) {
          await store.scoring.markAll()
          await take(store, scorer, { score: true }, now)
        } else await take(store, scorer, change, now)
        moments.push({ time, states: await readStates(store), removals: await store.records.listRemovals() })
      }
      await expectHistory(store, moments)
      await expectNumbers(store)
    }
    await fc.assert(fc.asyncProperty(history, check), options)
  })
})

async function expectHistory(store: Store, moments: readonly Moment[]): Promise<void> {
  const now = moments.at(-1) as Moment
  const ids = [...new Set(moments.flatMap(({ states }) => [...states.keys()]))]
  for (const { time, states } of moments) {
    const later = Map.groupBy(await listLater(store, ids, time), passportOf)
    for (const id of ids) {
      const events = later.get(id) ?? []
      const state = undo(now.states.get(id), events)
      // A removed passport has no history, because its events are deleted.
      const isPurged = events.some(({ type }) => type === 'passport.removed') || now.removals.includes(id)
      const known = isPurged ? undefined : states.get(id)
      expect(withoutValues(state)).toEqual(withoutValues(known))
      // The text of a value that has changed since is unknown.
      const texts = valuesOf(known)
      for (const [credential, value] of valuesOf(state)) expect(['', texts.get(credential)]).toContain(value)
      expectCauses(now.states.get(id), state, events)
    }
  }
}

const withoutValues = (state: ScoreState | undefined) =>
  state && { ...state, credentials: state.credentials.map(({ value: _, ...credential }) => credential) }

const valuesOf = (state: ScoreState | undefined) =>
  new Map(state?.credentials.map(({ id, value }) => [id, value]))

function expectCauses(
  after: ScoreState | undefined,
  before: ScoreState | undefined,
  events: LogEvent[],
): void {
  const { score, causes } = diffOf(after, events)
  expect(score).toEqual([before?.scores.total ?? null, after?.scores.total ?? null])
  const sum = causes.reduce((total, { delta }) => total + delta, 0)
  expect(roundScore(sum)).toBe(roundScore((score[1] ?? 0) - (score[0] ?? 0)))
}

const passportOf = (event: LogEvent) => ('passportId' in event ? event.passportId : undefined)

async function expectNumbers({ events }: Store): Promise<void> {
  const log = await events.log()
  const { events: all, end } = await events.list({ after: 0, limit: 10_000 })
  expect(end).toBe(log.last)
  const times = all.map(({ time }) => time)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  // Without removals, no number is missing.
  const hasRemovals = all.some(({ type }) => type === 'passport.removed')
  if (!hasRemovals)
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: log.last }, (_, at) => at + 1))
}
