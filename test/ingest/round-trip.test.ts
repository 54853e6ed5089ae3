import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { exportRecords } from '../../src/ingest/export.ts'
import { importRecords, type Refusal } from '../../src/ingest/import.ts'
import { adoptRules, rescoreSome } from '../../src/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import type { Store } from '../../src/store/store.ts'
import { onEveryEngine, openTestStore } from '../support/engines.ts'
import { NOON } from '../support/records.ts'

const PEOPLE = 8
const id = fc.integer({ min: 0, max: PEOPLE - 1 })
const type = fc.constantFrom('github', 'worldcoin', 'ens', 'kites')
const wallet = fc.integer({ min: 0, max: 11 }).map((number) => `0x${number}`)

const passport = fc.record(
  {
    passport_id: id,
    score: fc.integer({ min: 0, max: 99 }),
    human_checkmark: fc.boolean(),
    main_wallet: wallet,
    verified_wallets: fc.array(wallet, { maxLength: 2 }),
    passport_profile: fc.record({ display_name: fc.string({ maxLength: 6 }) }),
    last_calculated_at: fc.constantFrom('2024-01-01', '2025-02-02T03:04:05.678Z'),
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
const step = fc.oneof(
  { weight: 5, arbitrary: passport.map((line) => ({ line })) },
  { weight: 3, arbitrary: point.map((line) => ({ line })) },
  { weight: 2, arbitrary: fc.tuple(id, id).map((merge) => ({ merge })) },
  { weight: 1, arbitrary: id.map((unmerge) => ({ unmerge })) },
  { weight: 1, arbitrary: id.map((remove) => ({ remove })) },
  { weight: 2, arbitrary: fc.constant({ score: true }) },
)

async function importText(store: Store, text: string): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  const bytes = async function* () {
    yield new TextEncoder().encode(text)
  }
  await importRecords([{ name: 'test', open: bytes }], {
    store,
    now: NOON,
    rawKindOf: (type) => (type === 'ens' ? 'date' : type === 'kites' ? undefined : 'number'),
    rescore: false,
    restore: false,
    dryRun: false,
    strict: false,
    onRefusal: (refusal) => refusals.push(refusal),
    onProgress: () => undefined,
  })
  return refusals
}

async function exportText(store: Store): Promise<string> {
  let text = ''
  for await (const lines of exportRecords(store)) text += lines.text
  return text
}

/** Everything that a caller could be told. */
async function everything(store: Store) {
  const refs = [
    ...Array.from({ length: PEOPLE }, (_, number) => ({ id: number })),
    ...Array.from({ length: 12 }, (_, number) => ({ wallet: `0x${number}` })),
  ]
  const found = await Promise.all(refs.map((ref) => store.passports.find(ref)))
  const credentials = await Promise.all(found.map((each) => each && store.credentials.list(each.id)))
  return { found, credentials, list: await store.passports.list({ page: 1, size: 250, keyword: undefined }) }
}

onEveryEngine('an export', (open, engine) => {
  test('gives the same service when it is imported, whatever went before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        await using store = await open()
        const scorer = {
          store,
          rules: DEFAULT_RULES,
          now: () => NOON + 5,
          onFailure: (_: number, error: unknown) => expect(error).toBeUndefined(),
        }
        await adoptRules(scorer)
        for (const each of steps) await take(store, scorer, each)
        const text = await exportText(store)

        await using copy = await open()
        await adoptRules({ ...scorer, store: copy })
        expect(await importText(copy, text)).toEqual([])
        expect(await everything(copy)).toEqual(await everything(store))
        expect(await exportText(copy)).toBe(text)
        expect(await importText(copy, text)).toEqual([])
        expect(await exportText(copy)).toBe(text)
      }),
      // The same histories every time; without the seed it looks at new ones.
      { numRuns: engine === 'sqlite' ? 60 : 20, seed: 1815 },
    )
  }, 60_000)
})

test('both engines tell the same, whatever went before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      await using one = await openTestStore('sqlite')
      await using other = await openTestStore('postgres')
      const scorers = [one, other].map((store) => ({
        store,
        rules: DEFAULT_RULES,
        now: () => NOON + 5,
        onFailure: (_: number, error: unknown) => expect(error).toBeUndefined(),
      }))
      for (const scorer of scorers) {
        await adoptRules(scorer)
        for (const each of steps) await take(scorer.store, scorer, each)
      }
      expect(await everything(other)).toEqual(await everything(one))
      expect(await exportText(other)).toBe(await exportText(one))
    }),
    { numRuns: 30, seed: 1815 },
  )
}, 60_000)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What cannot be done in the state it meets is refused, and changes nothing. */
async function take(store: Store, scorer: Parameters<typeof rescoreSome>[0], each: Step): Promise<void> {
  try {
    if ('line' in each) await importText(store, `${JSON.stringify(each.line)}\n`)
    else if ('merge' in each) await store.passports.merge(...each.merge)
    else if ('unmerge' in each) await store.passports.unmerge(each.unmerge)
    else if ('remove' in each) await store.passports.remove(each.remove, NOON)
    else while (await rescoreSome(scorer));
  } catch (error) {
    expect(error).toHaveProperty('code')
  }
}
