import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { CREDENTIAL_BODIES, V1_BODIES } from '../../../src/features/v1/statements.ts'
import { onBothEngines, saveRecords } from '../../support/store/engines.ts'
import { checkHistories, REFS } from '../../support/store/random-histories.ts'
import { ADA_WALLET, credential, GRACE_OLD_WALLET, NOON, record } from '../../support/store/records.ts'
import { adoptRules, DEFAULT_RULES, rescoreSome, scorerOf } from '../../support/store/scoring.ts'
import { AT_REST, changesFor, score } from '../../support/store/store-changes.ts'
import { expectV1, type Shown } from './expect-responses.ts'

const IDS = AT_REST.map(({ id }) => ({ id }))

const bodyOf = async (store: Store, id: number) => (await store.data(V1_BODIES).findPassport({ id }))?.body
const credentialsOf = async (store: Store, id: number) => await store.data(CREDENTIAL_BODIES).find({ id })

onBothEngines('V1 responses', (open, engine) => {
  test('V1 responses match the stored data after a random history', () =>
    checkHistories(open, engine, (store) => {
      let shown: Shown = new Map()
      return async () => {
        shown = await expectV1(store, REFS, shown)
      }
    }))

  test.each(changesFor(engine))('V1 responses reflect %s', async (_, id, change) => {
    await using store = await open(AT_REST)
    const before = await expectV1(store, IDS)
    const both = async () => [await bodyOf(store, id), await credentialsOf(store, id)]
    const old = await both()
    await change(store)
    const after = await expectV1(store, IDS, before)
    expect(await both()).not.toEqual(old)
    await score(store)
    await expectV1(store, IDS, after)
  })

  test('the id or wallet of a merged passport finds the responses of its survivor', async () => {
    await using store = await open([...AT_REST, record(1, { mergedInto: 900, mainWallet: '0x1' })])
    for (const ref of [{ id: 3 }, { id: 900 }, { id: 1 }, { wallet: GRACE_OLD_WALLET }, { wallet: '0x1' }]) {
      expect(await store.data(V1_BODIES).findPassport(ref)).toMatchObject({ id: 3, merged: 1 })
      expect(await store.data(CREDENTIAL_BODIES).find(ref)).toEqual(
        await store.data(CREDENTIAL_BODIES).find({ id: 3 }),
      )
    }
    expect(await store.data(V1_BODIES).findPassport({ wallet: ADA_WALLET })).toMatchObject({
      id: 7,
      merged: 0,
    })
    expect(await store.data(V1_BODIES).findPassport({ wallet: '0xnobody' })).toBeUndefined()
    expect(await store.data(CREDENTIAL_BODIES).find({ id: 4 })).toBeUndefined()
  })

  test('the V1 response of a passport has "merged": true while another passport is merged into it', async () => {
    await using store = await open([record(0), record(1), record(3, { mergedInto: 0 })])
    const merged = () =>
      Promise.all([0, 1].map(async (id) => (await bodyOf(store, id))?.includes('"merged":true')))
    expect(await merged()).toEqual([true, false])
    await saveRecords(store, [record(3, { mergedInto: 1 })])
    expect(await merged()).toEqual([false, true])
    // The survivor is imported after the passport merged into it.
    for (const each of [record(5, { mergedInto: 6 }), record(6)]) await saveRecords(store, [each])
    expect(await store.data(V1_BODIES).findPassport({ id: 5 })).toMatchObject({ id: 6, merged: 1 })
  })

  test('V1 responses show old scores and credentials until the new ones are calculated', async () => {
    const first = record(1, { scores: { total: 1, identity: 1 }, credentials: [credential('old')] })
    await using store = await open([first])
    const second = { ...first, stale: true, credentials: [credential('new', { score: 4 })] }
    await saveRecords(store, [second])
    expect(JSON.parse((await bodyOf(store, 1)) as string).passport).toMatchObject({
      score: 1,
      calculating_score: true,
    })
    expect((await store.passports.findWithCredentials({ id: 1 }))?.credentials).toMatchObject([{ id: 'old' }])
    expect(await credentialsOf(store, 1)).not.toContain('"new"')
    await score(store)
    expect(JSON.parse((await bodyOf(store, 1)) as string).passport).toMatchObject({
      score: 4,
      calculating_score: false,
    })
    expect(await credentialsOf(store, 1)).toContain('"new"')
    expect(await credentialsOf(store, 1)).not.toContain('"old"')
  })

  test('calculating_score is true from the adoption of a rule set until the passport is scored', async () => {
    await using store = await open(AT_REST)
    await adoptRules({ store, rules: { ...DEFAULT_RULES, stamp: 'earlier' } })
    const capped = { ...DEFAULT_RULES, stamp: 'capped', caps: { Skills: 1 } }
    const calculating = async () => [
      (await bodyOf(store, 7))?.includes('"calculating_score":true'),
      (await store.data(V1_BODIES).listItems([7]))[0]?.includes('"calculating_score":true'),
    ]
    expect(await calculating()).toEqual([false, false])
    await adoptRules({ store, rules: capped })
    expect(await calculating()).toEqual([true, true])
    await rescoreSome({ ...scorerOf(store), rules: capped })
    expect(await calculating()).toEqual([false, false])
    await store.scoring.markAll()
    const fail = () => {
      throw new Error('on purpose')
    }
    const work = { rules: capped.stamp, now: NOON, score: fail, onFailure: () => undefined }
    await store.scoring.work(9, work)
    expect(await calculating()).toEqual([true, true])
    await expectV1(store, IDS)
  })

  test('V1 responses do not change in a dry run, or when the same records are imported again', async () => {
    await using store = await open(AT_REST)
    await score(store)
    const before = await bodyOf(store, 7)
    await store.records.rollBack(async (save) =>
      save([{ kind: 'removal', id: 7 }], { now: NOON, restore: false }),
    )
    expect(await saveRecords(store, AT_REST)).toEqual(AT_REST.map(() => ({ outcome: 'unchanged' })))
    expect(await bodyOf(store, 7)).toBe(before as string)
  })
})
