import { expect, test } from 'bun:test'
import { MIRROR } from '../../support/features/mirror.ts'
import { REQUESTS } from '../../support/features/own-record.ts'
import { EXPORTS } from '../../support/features/privacy.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { computeHead, foldAll } from '../../support/store/hash-chain.ts'
import { defineData } from '../../support/store/open.ts'
import { ADA_WALLET, ada, NOON, record, social } from '../../support/store/records.ts'
import { contracts, hand, LATER, scoreNow } from '../../support/store/scoring.ts'
import { tableOf } from '../../support/store/store-changes.ts'

const grete = record(8, { profile: { displayName: 'Grete' }, socials: [social('github', 'grete')] })

const isoTime = (time: number) => new Date(time).toISOString()

onEveryEngine('a hidden passport', (open) => {
  test('has tombstones in place of all events before it is shown again, except that of its removal', async () => {
    await using store = await open([ada, grete])
    await store.passports.hide(7, true, NOON)
    await saveRecords(store, [{ ...ada, connections: 99, scores: { ...ada.scores, total: 1 } }])
    await scoreNow(store)
    const { head } = await foldAll(store)
    const before = await computeHead(store)
    await store.passports.hide(7, false, LATER)
    expect([head, (await foldAll(store)).head]).toEqual([before, await computeHead(store)])
    const proven = (await store.events.listProven({ after: 0, limit: 100 })).events
    const types = ['tombstone', 'passport.added', 'passport.removed', 'tombstone', 'tombstone']
    expect(proven.map(({ type }) => String(type))).toEqual([...types, 'passport.added'])
    const later = await store.events.listAfterTime([7], 0)
    expect(later.events.map(({ type }) => type)).toEqual(['passport.added', 'passport.removed'])
  })

  test('is exported with everything that is stored, under the names of the API', async () => {
    await using store = await open([ada, grete])
    await store.passports.merge(8, 7)
    await hand(store, { id: 7 }, { ...contracts(3), issuer: 'kite' })
    await store
      .data(MIRROR)
      .note('https://source.example', 7, { passportEtag: 'a', credentialsEtag: 'b', run: 1 })
    await store.data(REQUESTS).add({ id: 'a', passport_id: 7, text: 'Porto', created_at: NOON })
    await scoreNow(store)
    await store.passports.hide(7, true, LATER)
    const { name } = await store.events.log()
    for (const id of [7, 8]) {
      const all = await store.data(EXPORTS).export(id)
      expect(all).toMatchObject({
        passports: [
          {
            passport_id: 7,
            hidden_at: isoTime(LATER),
            score: expect.any(Number),
            human_checkmark: true,
            passport_profile: { display_name: ada.profile.displayName },
            credentials: expect.arrayContaining([expect.objectContaining({ type: 'kite', max_score: 5 })]),
            data_points: [{ type: 'base_builder', issuer: 'kite', value: 3, earned_at: null }],
          },
          { passport_id: 8, merged_into: 7 },
        ],
        wallets: expect.arrayContaining([{ wallet: ADA_WALLET, passport_id: 7 }]),
        handles: expect.arrayContaining([{ handle: 'github:grete', passport_id: 8 }]),
        requests: [{ passport_id: 7, text: 'Porto', created_at: isoTime(NOON) }],
        audit: [
          {
            time: expect.stringMatching(/Z$/),
            action: 'passports.merge',
            detail: { passports: ['8 into 7'] },
          },
          { action: 'requests.create' },
          { action: 'passports.hide', detail: { passports: [7, 8] } },
        ],
        events: expect.arrayContaining([
          {
            ...{ id: `${name}-1`, type: 'passport.added', subject: '7' },
            ...{ time: isoTime(NOON), actor: 'cli', data: expect.anything() },
          },
          expect.objectContaining({ type: 'passport.merged', subject: '8', data: { into: 7 }, actor: 'cli' }),
          expect.objectContaining({
            type: 'score.changed',
            data: expect.objectContaining({
              last_calculated_at: [isoTime(NOON), isoTime(LATER)],
            }),
          }),
        ]),
        mirrored: [{ source: 'https://source.example', passport_id: 7 }],
      })
      for (const name of ['passportId', 'maxScore', 'addedAt'])
        expect(JSON.stringify(all)).not.toContain(name)
    }
  })
})

/** The data of a feature that this release does not have. */
const NOTES = defineData({
  name: 'notes',
  tables: ['notes'],
  open: ({ write, read }) => ({
    create: () =>
      write('create table notes (id text primary key, passport_id bigint not null, text text not null)'),
    add: (id: string, passport: number, text: string) =>
      write('insert into notes (id, passport_id, text) values ($1, $2, $3)', [id, passport, text]),
    list: () => read.query<{ id: string }>('select * from notes order by id'),
  }),
})

onEveryEngine('a table with a column passport_id that no feature declares', (open) => {
  test('a removal deletes the rows of the person and of the merged passports, an export has them, and a copy, too', async () => {
    await using store = await open([record(7), record(8), record(9)])
    const notes = store.data(NOTES)
    await notes.create()
    for (const passport of [7, 8, 9]) await notes.add(`n${passport}`, passport, 'a note')
    await store.passports.merge(8, 7, NOON)
    expect(await notes.list()).toHaveLength(3)
    expect(await (await tableOf(store, 'notes')).list({ limit: 1 })).toMatchObject([{ id: 'n7' }])
    expect(await store.data(EXPORTS).export(8)).toMatchObject({
      notes: [
        { id: 'n7', passport_id: 7, text: 'a note' },
        { id: 'n8', passport_id: 8, text: 'a note' },
      ],
    })
    await store.passports.remove(7, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
    await notes.add('n5', 5, 'a note about a passport that is not stored')
    await store.passports.remove(5, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
  })
})
