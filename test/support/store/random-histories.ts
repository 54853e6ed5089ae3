import { expect } from 'bun:test'
import fc from 'fast-check'
import type { Awaitable } from '../../../src/core/basics/awaitable.ts'
import { adoptRules, type Rescorer, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { importRecords, type Refusal } from '../../../src/features/records/import.ts'
import type { EngineName } from './engines.ts'
import { NOON } from './records.ts'
import { scorerOf } from './scoring.ts'

export const PEOPLE = 8
const WALLETS = 12
const id = fc.integer({ min: 0, max: PEOPLE - 1 })
const type = fc.constantFrom('github', 'worldcoin', 'ens', 'kites')
const wallet = fc.integer({ min: 0, max: WALLETS - 1 }).map((number) => `0x${number}`)

const passport = fc.record(
  {
    passport_id: id,
    score: fc.integer({ min: 0, max: 99 }),
    human_checkmark: fc.boolean(),
    main_wallet: wallet,
    verified_wallets: fc.array(wallet, { maxLength: 2 }),
    passport_profile: fc.record({ display_name: fc.string({ maxLength: 6 }) }),
    last_calculated_at: fc.constantFrom('2024-01-01', '2025-02-02T03:04:05.678Z'),
    image_url: fc.constantFrom('https://example.com/a.png', '/a.png', ''),
    main_wallet_changed_at: fc.constantFrom('2023-03-03', null),
    nominations_received_count: fc.integer({ min: 0, max: 3 }),
    passport_socials: fc.array(
      fc.record({ profile_image_url: fc.constantFrom('', 'https://example.com/b.png', 'c') }),
      { maxLength: 2 },
    ),
    credentials: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        type,
        category: fc.constantFrom('Skills', 'Identity', 'Hobbies'),
        score: fc.option(fc.integer({ min: 0, max: 30 })),
        max_score: fc.constantFrom(9, 40),
        value: fc.constantFrom('Verified', '12 contracts', ''),
      }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
  },
  { requiredKeys: ['passport_id'] },
)
const point = fc.record({
  passport: id,
  type,
  value: fc.oneof(
    fc.integer({ min: -5, max: 3000 }),
    fc.boolean(),
    fc.constantFrom('2020-01-01', '1999-12-31'),
  ),
  account: fc.constantFrom('', 'x', 'y'),
})
/** A random change of a store with a few people who share wallets. */
export const step = fc.oneof(
  { weight: 5, arbitrary: passport.map((line) => ({ line })) },
  { weight: 3, arbitrary: point.map((line) => ({ line })) },
  { weight: 2, arbitrary: fc.tuple(id, id).map((merge) => ({ merge })) },
  { weight: 1, arbitrary: id.map((unmerge) => ({ unmerge })) },
  { weight: 1, arbitrary: id.map((remove) => ({ remove })) },
  { weight: 2, arbitrary: fc.constant({ score: true }) },
)

export const histories = fc.array(step, { minLength: 3, maxLength: 25 })

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

export const REFS = [
  ...Array.from({ length: PEOPLE }, (_, number) => ({ id: number })),
  ...Array.from({ length: WALLETS }, (_, number) => ({ wallet: `0x${number}` })),
]

/** Applies random changes to a store. After each change, calls the function that `begin` has returned. */
export async function checkHistories(
  open: () => Promise<Store>,
  engine: EngineName,
  begin: (store: Store) => Awaitable<() => Promise<unknown>>,
): Promise<void> {
  const check = async (steps: readonly Step[]) => {
    await using store = await open()
    const scorer = scorerOf(store)
    await adoptRules(scorer)
    const checkStep = await begin(store)
    for (const each of steps) {
      await take(store, scorer, each)
      await checkStep()
    }
  }
  // The seed makes the histories reproducible.
  const options = { numRuns: engine === 'sqlite' ? 5 : 1, seed: 1815 }
  await fc.assert(fc.asyncProperty(histories, check), options)
}

/** Takes a step. An impossible step changes nothing, because the store refuses it. */
export async function take(store: Store, scorer: Rescorer, each: Step, now = NOON): Promise<void> {
  try {
    if ('line' in each) await importText(store, `${JSON.stringify(each.line)}\n`, now)
    else if ('merge' in each) await store.passports.merge(...each.merge, now)
    else if ('unmerge' in each) await store.passports.unmerge(each.unmerge, now)
    else if ('remove' in each) await store.passports.remove(each.remove, now)
    else while (await rescoreSome(scorer));
  } catch (error) {
    expect(error).toHaveProperty('code')
  }
}

export const importText = async (store: Store, text: string, now = NOON): Promise<Refusal[]> =>
  (await importParts(store, [text], { now })).refusals

/** Imports a file that arrives in these chunks. */
export async function importParts(
  store: Store,
  parts: readonly (string | Uint8Array)[],
  given: Partial<Parameters<typeof importRecords>[1]> = {},
) {
  const refusals: Refusal[] = []
  async function* open() {
    for (const part of parts) yield Buffer.from(part)
  }
  const report = await importRecords([{ name: 'people.jsonl', open }], {
    store,
    now: NOON,
    rawKindOf: (type) => (type === 'ens' ? 'date' : type === 'kites' ? undefined : 'number'),
    rescore: false,
    restore: false,
    dryRun: false,
    strict: false,
    onRefusal: (refusal) => refusals.push(refusal),
    onProgress: () => undefined,
    ...given,
  })
  return { report, refusals }
}
