import fc from 'fast-check'
import { presentPassport } from '../../../src/core/api/present.ts'
import type { WirePassport } from '../../../src/core/api/schemas.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { PEOPLE, step, take } from './random-histories.ts'
import { NOON } from './records.ts'
import { scorerOf } from './scoring.ts'

const DAY = 86_400_000

/** The fields of a passport that can be read as of a time. */
export type Seen = ReturnType<typeof toSeen>

/** Makes random changes, a day apart, and records all passports after each of them. */
export async function recordHistory(store: Store, seed: number, steps: number) {
  const seen: { time: number; states: Map<number, Seen> }[] = []
  let time = NOON
  for (const [at, change] of fc.sample(step, { seed, numRuns: steps }).entries()) {
    time += DAY
    const now = time
    const scorer = { ...scorerOf(store), now: () => now }
    await take(store, scorer, change, now)
    if (at % 3 === 2) await take(store, scorer, { score: true }, now)
    seen.push({ time, states: await readAll(store) })
  }
  const { events } = await store.events.list({ after: 0, limit: 100_000, types: ['passport.removed'] })
  const removed = new Set(events.map((event) => 'passportId' in event && event.passportId))
  return {
    seen,
    end: time + DAY,
    /** The history of a removed passport is deleted. */
    isPurged: (id: number) => removed.has(id),
  }
}

/** Reads all passports that are not merged. */
async function readAll({ passports }: Store): Promise<Map<number, Seen>> {
  const ids = Array.from({ length: PEOPLE }, (_, id) => ({ id }))
  const found = await passports.findByKeys(ids, { credentials: true })
  return new Map(
    found.flatMap((result, id) =>
      result && 'passport' in result && result.passport.id === id
        ? [[id, toSeen(presentPassport(result.passport, {}))] as const]
        : [],
    ),
  )
}

export function toSeen(passport: WirePassport) {
  const { score, activity_score, identity_score, skills_score } = passport
  const { human_checkmark, last_calculated_at, rules, credentials = [] } = passport
  return {
    scores: [score, activity_score, identity_score, skills_score],
    human_checkmark,
    last_calculated_at,
    rules,
    // Events have neither the field `from` of a credential nor the text of its value.
    credentials: credentials.map(({ from: _, value: __, ...credential }) => credential),
  }
}
