import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { type PassportRef, parsePassportRef } from '../../src/domain/passport.ts'
import { adoptRules } from '../../src/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import type { Store } from '../../src/store/store.ts'
import { AT_REST, CREDENTIAL_CHANGES, PASSPORT_CHANGES, score } from '../support/changes.ts'
import { expectComplete, expectTrue, found, makeAll, NONE, rendered } from '../support/documents.ts'
import { onEngine } from '../support/engines.ts'
import { REFS, scorerOf, step, take } from '../support/histories.ts'
import { ADA_WALLET, ada, GRACE_OLD_WALLET, NOON, nobody, record } from '../support/records.ts'

const IDS = AT_REST.map(({ id }) => ({ id }))

/** Right now, after the documents are made, and after the score is worked out. */
async function expectRightFromNow(store: Store): Promise<void> {
  await expectTrue(store, IDS)
  for (const next of [makeAll, score, makeAll]) {
    await next(store)
    await expectTrue(store, IDS)
  }
  await expectComplete(store, IDS)
}

onEngine('sqlite', 'documents', (open) => {
  test('are what would be answered, byte for byte, once they are made', async () => {
    await using store = await open(AT_REST)
    expect(found(store, { id: 7 })).toEqual(NONE)
    expect(await makeAll(store)).toBeGreaterThan(0)
    expect(found(store, { id: 7 })).toEqual(await rendered(store, { id: 7 }))
    expect(found(store, { id: 7 }).credentials).toContain('lovelace.eth')
    expect(await makeAll(store)).toBe(0)
  })

  test('make up the list, whatever their texts look like', async () => {
    const odd = ',"merged":true,"score":99,{"passport":'
    const profile = {
      bio: odd,
      displayName: `"${odd}\\`,
      location: '", "merged":',
      tags: [odd, 'merged', '":'],
    }
    const people = [11, 2, 13].map((id) => record(id, { profile, scores: { total: id } }))
    await using store = await open([...AT_REST, ...people])
    await makeAll(store)
    const { items } = await store.documents.list({ page: 1, size: 25, keyword: undefined })
    // The survivor of a merge has none.
    expect(items.filter((item) => 'scores' in item)).toMatchObject([{ id: 3 }])
    await expectTrue(store, [])
  })

  test('are found by wallet as well', async () => {
    await using store = await open(AT_REST)
    await makeAll(store)
    for (const text of [ADA_WALLET, ADA_WALLET.toUpperCase().replace('0X', '0x')]) {
      expect(found(store, parsePassportRef(text) as PassportRef)).toEqual(await rendered(store, { id: 7 }))
    }
    expect(found(store, { wallet: '0xnobody' })).toEqual(NONE)
  })

  test('there are none of merged passports, and of survivors none that lacks where it was found', async () => {
    await using store = await open(AT_REST)
    await makeAll(store)
    expect(found(store, { id: 900 })).toEqual(NONE)
    expect(found(store, { wallet: GRACE_OLD_WALLET })).toEqual(NONE)
    const { credentials } = await rendered(store, { id: 3 })
    expect(found(store, { id: 3 })).toEqual({ passport: undefined, credentials })
  })

  test('there are none of passports that wait for their score', async () => {
    await using store = await open([ada])
    await makeAll(store)
    expect(found(store, { id: 7 })).toEqual(NONE)
    await score(store)
    await makeAll(store)
    await expectComplete(store, [{ id: 7 }])
  })

  test.each(PASSPORT_CHANGES)('%s costs the one of the passport, and no other', async (_, id, change) => {
    await using store = await open(AT_REST)
    await makeAll(store)
    const { credentials } = found(store, { id })
    expect(credentials).toBeDefined()
    await change(store)
    expect(found(store, { id })).toEqual({ passport: undefined, credentials })
    await expectRightFromNow(store)
  })

  test.each(CREDENTIAL_CHANGES)('%s costs both', async (_, id, change) => {
    await using store = await open(AT_REST)
    await makeAll(store)
    await change(store)
    expect(found(store, { id })).toEqual(NONE)
    await expectRightFromNow(store)
  })

  test('a passport that could not be scored has none until it could', async () => {
    await using store = await open(AT_REST)
    await makeAll(store)
    await store.scoring.markAll()
    const fails = () => {
      throw new Error('on purpose')
    }
    await store.scoring.work(9, {
      rules: DEFAULT_RULES.stamp,
      now: NOON,
      score: fails,
      onFailure: () => undefined,
    })
    await makeAll(store)
    expect(found(store, { id: 7 }).passport).toBeUndefined()
    await store.scoring.markAll()
    await score(store)
    await makeAll(store)
    await expectComplete(store, IDS)
  })

  test('a dry run costs none', async () => {
    await using store = await open(AT_REST)
    await makeAll(store)
    await store.records.save([{ kind: 'removal', id: 12 }], { now: NOON, restore: false, dryRun: true })
    expect(found(store, { id: 12 }).passport).toBeDefined()
  })

  test('one that cannot be rendered keeps the others from nothing', async () => {
    await using store = await open([nobody, record(13, { calculatedAt: 9e15 }), record(14)])
    await makeAll(store)
    expect(found(store, { id: 12 }).passport).toBeDefined()
    expect(found(store, { id: 13 }).passport).toBeUndefined()
    expect(found(store, { id: 14 }).passport).toBeDefined()
  })

  test('are made for as many as was asked', async () => {
    await using store = await open(Array.from({ length: 25 }, (_, id) => record(id)))
    while ((await store.documents.make(10, V1_PRESS)) !== 10);
    const made = Array.from({ length: 25 }, (_, id) => found(store, { id }).passport !== undefined)
    expect(made.filter(Boolean).length).toBe(10)
  })

  test('never say anything else than would be answered, whatever happens', async () => {
    const making = fc.integer({ min: 1, max: 9 }).map((make) => ({ make }))
    const steps = fc.array(fc.oneof({ weight: 2, arbitrary: step }, making), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await using store = await open()
        const scorer = scorerOf(store)
        await adoptRules(scorer)
        for (const each of history) {
          if ('make' in each) await store.documents.make(each.make, V1_PRESS)
          else await take(store, scorer, each)
          await expectTrue(store, REFS)
        }
        await makeAll(store)
        await expectTrue(store, REFS)
        await expectComplete(store, REFS)
      }),
      // The same histories every time; without the seed it looks at new ones.
      { numRuns: 60, seed: 1815 },
    )
  }, 60_000)
})
