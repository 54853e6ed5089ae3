import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { exportAll } from '../../support/cli-sandbox.ts'
import { readFrozen } from '../../support/frozen/frozen-versions.ts'
import { listAll } from '../../support/index/local-index.ts'
import { onBothEngines } from '../../support/store/engines.ts'
import { histories, importParts, importText, REFS, take } from '../../support/store/random-histories.ts'
import { ada, NOON } from '../../support/store/records.ts'
import { adoptRules, rescoreSome, scorerOf } from '../../support/store/scoring.ts'

async function everything(store: Store) {
  const found = await Promise.all(REFS.map((ref) => store.passports.findWithCredentials(ref)))
  const frozen = await Promise.all(REFS.map((ref) => readFrozen(store, ref)))
  return { found, frozen, list: await listAll(store) }
}

/** Leaves out the credentials of stale passports: responses show old credentials, which are not exported. */
async function scored(store: Store) {
  const { found, frozen, list } = await everything(store)
  const isStale = (at: number) => found[at]?.passport.stale ?? false
  return {
    list,
    found: found.map((each) => (each?.passport.stale ? each.passport : each)),
    frozen: frozen.map((bodies, at) =>
      Object.entries(bodies).filter(([name]) => !isStale(at) || !name.endsWith('credentials')),
    ),
  }
}

onBothEngines('an export', (open, engine) => {
  test('after a random history, the import of an export gives the same responses, and changes nothing in its own database', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        await using store = await open()
        const scorer = scorerOf(store)
        await adoptRules(scorer)
        for (const each of steps) await take(store, scorer, each)
        const text = await exportAll(store)
        const end = (await store.events.log()).last
        const { lines, unchanged } = (await importParts(store, [text])).report
        expect([unchanged, (await store.events.log()).last]).toEqual([lines, end])
        expect(await exportAll(store)).toBe(text)

        await using copy = await open()
        await adoptRules({ ...scorer, store: copy })
        expect(await importText(copy, text)).toEqual([])
        expect(await scored(copy)).toEqual(await scored(store))
        expect(await exportAll(copy)).toBe(text)
        expect(await importText(copy, text)).toEqual([])
        expect(await exportAll(copy)).toBe(text)
        for (const each of [store, copy]) while (await rescoreSome({ ...scorer, store: each }));
        expect(await everything(copy)).toEqual(await everything(store))
      }),
      // The seed makes the histories reproducible.
      { numRuns: engine === 'sqlite' ? 6 : 1, seed: 1815 },
    )
  })
})

onBothEngines('records that are imported again', (open) => {
  test('the same line adds fields that an earlier version of passportd ignored', async () => {
    await using store = await open()
    const source = new TextEncoder().encode('the same line')
    const nominated = { ...ada, nominations: 2 }
    const save = async (passport: PassportRecord) =>
      (await store.records.save([{ kind: 'passport', passport, source }], { now: NOON, restore: false }))[0]
    expect(await save(ada)).toEqual({ outcome: 'added' })
    expect(await save(nominated)).toEqual({ outcome: 'changed' })
    expect(await save(nominated)).toEqual({ outcome: 'unchanged' })
    expect(await store.records.list(0, 9)).toMatchObject([{ id: 7, nominations: 2 }])
  })
})
