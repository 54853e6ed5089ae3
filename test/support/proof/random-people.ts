import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { parseRules } from '../../../src/core/scoring/rules-format.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { createRandom, type Random } from '../random.ts'
import { saveRecords } from '../store/engines.ts'
import { credential, NOON, record } from '../store/records.ts'
import { rule } from '../store/rule-files.ts'
import { applyRules, fail } from '../store/scoring.ts'

const DAY = 86_400_000

/** A rule set with all options, so that every kind of data point occurs. */
export const ALL_OPTIONS = parseRules({
  version: 'all-options',
  caps: { Skills: 60.5, Identity: 20 },
  types: {
    sums: rule({ accounts: 'sum', multiplier: 0.37 }),
    roots: rule({ accounts: 'sum', convert: 'sqrt', category: 'Activity', max_score: 33.25 }),
    logs: rule({ convert: 'ln', multiplier: 1.7, category: 'Identity' }),
    years: rule({ convert: 'years', multiplier: 3.1, category: 'Identity' }),
    humans: rule({ convert: 'none', multiplier: 8, max_score: 8, category: 'Identity', proves_human: true }),
    owned: rule({ unique: 'first', accounts: 'sum', category: 'Activity' }),
    fading: rule({ expires: '90d', proves_human: true }),
  },
})

export const TYPES = [...Object.keys(ALL_OPTIONS.types), 'unruled']

export function inventPoint(random: Random, type: string, account: string): DataPoint {
  const kind = random.pick(['number', 'number', 'flag', 'date'] as const)
  const amounts = {
    number: () => random.pick([-3, 0, 0.1, 0.2, 1e-9, 1e15, random.next() * 500, random.whole(1, 3000)]),
    flag: () => random.whole(0, 1),
    date: () => NOON - random.whole(-1000, 4000) * DAY - random.whole(0, DAY),
  }
  return {
    type,
    account,
    value: { kind, amount: amounts[kind]() },
    display: random.pick(['', 'Shown text']),
    ...(random.chance(0.5) && { earnedAt: NOON - random.whole(0, 180) * DAY }),
  }
}

function inventPassport(random: Random, id: number) {
  const credentials = random.sample(TYPES, random.whole(0, 3)).map((type, at) =>
    credential(`c-${id}-${at}`, {
      type,
      category: random.pick(['Skills', 'Identity', 'Activity', 'Hobbies']),
      score: random.pick([0, 0.25, 3, 12.34, 70]),
      maxScore: random.pick([5, 40]),
    }),
  )
  // Some accounts belong to several people.
  const accounts = ['', `own-${id}`, `shared-${random.whole(1, 50)}`]
  const dataPoints = random
    .sample(TYPES, random.whole(0, 5))
    .flatMap((type) =>
      random.sample(accounts, random.whole(1, 3)).map((account) => inventPoint(random, type, account)),
    )
  return record(id, { human: random.chance(0.2), stale: true, credentials, dataPoints })
}

/** Saves and scores random people, merges some of them, and returns the ids of all. */
export async function fillWithRandomPeople(store: Store, count = 1000, seed = 34): Promise<number[]> {
  const random = createRandom(seed)
  const people = Array.from({ length: count }, (_, at) => inventPassport(random, at + 1))
  await applyRules(store, ALL_OPTIONS)
  await adoptRules({ store, rules: ALL_OPTIONS, now: () => NOON })
  await saveRecords(store, people)
  for (let id = 10; id < count; id += 100) await store.passports.merge(id, id + 1, NOON)
  const scorer = { store, rules: ALL_OPTIONS, now: () => NOON, onFailure: fail }
  while (await rescoreSome(scorer));
  return people.map(({ id }) => id)
}
