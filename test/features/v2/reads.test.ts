import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { onBothEngines, saveRecords } from '../../support/store/engines.ts'
import { checkHistories, REFS } from '../../support/store/random-histories.ts'
import { NOON } from '../../support/store/records.ts'
import { AT_REST, changesFor, score } from '../../support/store/store-changes.ts'
import { V1 } from '../v1/version.ts'
import { expectV2 } from './expect-responses.ts'

const IDS = AT_REST.map(({ id }) => ({ id }))

onBothEngines('V2 responses', (open, engine) => {
  test('V2 responses match the stored data after a random history', () =>
    checkHistories(open, engine, (store) => () => expectV2(store, REFS)))

  test.each(changesFor(engine))('V2 responses match the stored data after %s', async (_, __, change) => {
    await using store = await open(AT_REST)
    await expectV2(store, IDS)
    await change(store)
    await expectV2(store, IDS)
    await score(store)
    await expectV2(store, IDS)
  })

  const [ada] = AT_REST.filter(({ id }) => id === 7)
  const nominated = { ...(ada as PassportRecord), nominations: 2 }
  const shown = async (store: Store) =>
    JSON.parse((await store.data(V2_BODIES).findPassport({ id: 7 }))?.body ?? '').passport

  test('V2 responses have the fields that only V2 shows, even after scoring, a merge and an unmerge', async () => {
    await using store = await open([...AT_REST.filter(({ id }) => id !== 7), nominated])
    await score(store)
    expect(await shown(store)).toMatchObject({ nominations_received_count: 2 })
    await store.passports.merge(7, 3)
    expect(await shown(store)).toMatchObject({ passport_id: 3, nominations_received_count: 0 })
    await store.passports.unmerge(7)
    expect(await shown(store)).toMatchObject({ passport_id: 7, nominations_received_count: 2 })
    await expectV2(store, IDS)
  })

  test.each([
    ['image_url', { imageUrl: 'https://example.com/a.png' }],
    ['main_wallet_changed_at', { mainWalletChangedAt: NOON }],
    ['nominations_received_count', { nominations: 2 }],
  ] as const)(
    'a change of %s, which only V2 shows, has an event and is read by the ranking',
    async (field, given) => {
      await using store = await open(AT_REST)
      const { cursor } = await store.listing.readEnd()
      const { last } = await store.events.log()
      const v1 = await V1.readBodies(store, { id: 7 })
      await saveRecords(store, [{ ...(ada as PassportRecord), ...given }])
      expect(await store.listing.readChanges(cursor)).toMatchObject({ ids: [7] })
      expect((await store.events.list({ after: last, limit: 9 })).events).toMatchObject([
        { type: 'passport.changed', passportId: 7, fields: [field] },
      ])
      expect(await V1.readBodies(store, { id: 7 })).toEqual(v1)
    },
  )
})
