import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { onBothEngines, saveRecords } from '../../support/store/engines.ts'
import { ada, credential, NOON, PEOPLE, record } from '../../support/store/records.ts'
import { find } from '../../support/store/scoring.ts'
import { score } from '../../support/store/store-changes.ts'

onBothEngines('records that are imported again', (open) => {
  test('the same records change nothing', async () => {
    await using store = await open(PEOPLE)
    const { last } = await store.events.log()
    expect(await saveRecords(store, PEOPLE)).toEqual(PEOPLE.map(() => ({ outcome: 'unchanged' })))
    expect((await store.events.log()).last).toBe(last)
  })

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

  test('the old score and credentials are shown until the new ones are calculated', async () => {
    const first = record(1, { scores: { total: 1, identity: 1 }, credentials: [credential('old')] })
    await using store = await open([first])
    await saveRecords(store, [{ ...first, stale: true, credentials: [credential('new', { score: 4 })] }])
    expect(await find(store, 1)).toMatchObject({ scores: { total: 1 }, stale: true })
    expect((await store.passports.findWithCredentials({ id: 1 }))?.credentials).toMatchObject([{ id: 'old' }])
    await score(store)
    expect(await find(store, 1)).toMatchObject({ scores: { total: 4 }, stale: false })
    expect((await store.passports.findWithCredentials({ id: 1 }))?.credentials).toMatchObject([{ id: 'new' }])
  })
})
