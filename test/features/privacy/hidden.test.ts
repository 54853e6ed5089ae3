import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { readFrozen } from '../../support/frozen/frozen-versions.ts'
import { listAll } from '../../support/index/local-index.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { computeHead, foldAll } from '../../support/store/hash-chain.ts'
import { AUDIT, EXPORTS, MIRROR, REQUESTS, SUBJECTS } from '../../support/store/open.ts'
import { ADA_WALLET, ada, credential, NOON, record, social } from '../../support/store/records.ts'
import { contracts, find, hand, LATER, scoreNow } from '../../support/store/scoring.ts'

const grete = record(8, { profile: { displayName: 'Grete' }, socials: [social('github', 'grete')] })

const isoTime = (time: number) => new Date(time).toISOString()

const eventsOf = async (store: Store): Promise<unknown[]> => {
  const { events } = await store.events.list({ after: 0, limit: 100 })
  return events.map(({ type, ...event }) => [type, 'passportId' in event ? event.passportId : null])
}

onEveryEngine('a hidden passport', (open) => {
  test('is not found, listed or searched, and is the same after it is shown again', async () => {
    await using store = await open([ada, grete])
    const read = async () => ({
      frozen: Object.values(await readFrozen(store, { wallet: ADA_WALLET })).concat(
        Object.values(await readFrozen(store, { id: 7 })),
      ),
      v3: await store.passports.findByKeys([{ id: 7 }, { wallet: ADA_WALLET }, HANDLE], {
        credentials: true,
      }),
      facets: (await store.listing.listRows([7])).map(({ name, facets }) => [
        name,
        ...facets.split(/\s/).sort(),
      ]),
      people: await store.passports.listByIds([7]),
      evidence: (await store.scoring.find({ id: 7 }))?.dataPoints,
      total: (await listAll(store)).total,
    })
    const HANDLE = { handle: `${ada.socials[0]?.source}:${ada.socials[0]?.name}`.toLowerCase(), wallet: 'x' }
    const before = await read()
    expect(before).toMatchObject({ total: 2, people: [{ id: 7 }] })
    expect(before.frozen).not.toContain(undefined)
    await store.passports.hide(7, true, NOON, 'subject')
    expect(await read()).toEqual({
      ...{ frozen: before.frozen.map(() => undefined), evidence: undefined, total: 1 },
      v3: [undefined, undefined, undefined],
      ...{ facets: [], people: [] },
    })
    expect(await store.data(SUBJECTS).find(ADA_WALLET)).toMatchObject({ id: 7, hidden: true })
    await store.passports.hide(7, false, LATER)
    expect(await read()).toEqual(before)
    expect(await store.data(SUBJECTS).find(ADA_WALLET)).toMatchObject({ id: 7, hidden: false })
    const entries = await store.data(AUDIT).list({ limit: 2 })
    expect(entries.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
      ['cli', 'passports.unhide', { passports: [7] }],
      ['subject', 'passports.hide', { passports: [7] }],
    ])
  })

  test('takes records, data points and scores, which responses show later', async () => {
    await using store = await open([ada, grete])
    await store.passports.hide(7, true, NOON)
    const credentials = [credential('github', { score: 11, givenScore: 11 })]
    await saveRecords(store, [{ ...ada, connections: 99, credentials }])
    await hand(store, { wallet: ADA_WALLET }, contracts(3))
    await scoreNow(store)
    expect(await find(store, 7)).toBeUndefined()
    expect(await listAll(store)).toMatchObject({ total: 1 })
    await store.passports.hide(7, false, LATER)
    const shown = await store.passports.findWithCredentials({ id: 7 })
    expect(shown?.passport).toMatchObject({ connections: 99, stale: false })
    expect(shown?.credentials.map(({ type }) => type)).toContain('base_builder')
    expect(Object.values(await readFrozen(store, { id: 7 }))).not.toContain(undefined)
  })

  test('has no served events except its removal, and is added again', async () => {
    await using store = await open([ada, grete])
    const end = await store.passports.hide(7, true, NOON)
    await saveRecords(store, [{ ...ada, connections: 99 }])
    const hidden = [
      ['passport.added', 8],
      ['passport.removed', 7],
    ]
    expect(await eventsOf(store)).toEqual(hidden)
    expect(await store.events.listLatest(7, ['passport.added', 'passport.changed'], 9)).toEqual([])
    const later = await store.events.listAfterTime([7], 0)
    expect(later.events).toMatchObject([{ type: 'passport.removed', sequence: end.sequence }])
    await store.passports.hide(7, true, LATER)
    expect(await eventsOf(store)).toEqual(hidden)
    await store.passports.hide(7, false, LATER)
    expect(await eventsOf(store)).toEqual([...hidden, ['passport.added', 7]])
  })

  test('has tombstones in place of its earlier events, and no events until it is shown again', async () => {
    await using store = await open([ada, grete])
    await store.passports.hide(7, true, NOON)
    await saveRecords(store, [{ ...ada, connections: 99, scores: { ...ada.scores, total: 1 } }])
    await scoreNow(store)
    const { head } = await foldAll(store)
    const before = await computeHead(store)
    await store.passports.hide(7, false, LATER)
    expect([head, (await foldAll(store)).head]).toEqual([before, await computeHead(store)])
    const proven = (await store.events.listProven({ after: 0, limit: 100 })).events
    const types = ['tombstone', 'passport.added', 'passport.removed']
    expect(proven.map(({ type }) => String(type))).toEqual([...types, 'passport.added'])
    const later = await store.events.listAfterTime([7], 0)
    expect(later.events.map(({ type }) => type)).toEqual(['passport.added', 'passport.removed'])
  })

  test('also hides the passports that are merged into it, before and later', async () => {
    await using store = await open([ada, grete, record(9), record(10)])
    await store.passports.merge(8, 7)
    await store.passports.hide(7, true, NOON)
    await store.passports.merge(9, 7)
    for (const body of Object.values(await readFrozen(store, { id: 8 }))) expect(body).toBeUndefined()
    expect(await store.passports.findByKeys([{ id: 8 }, { id: 9 }], { credentials: false })).toEqual([
      undefined,
      undefined,
    ])
    expect(await eventsOf(store)).toEqual([
      ['passport.added', 10],
      ['passport.removed', 7],
      ['passport.removed', 8],
      ['passport.removed', 9],
    ])
    await store.passports.hide(7, false, LATER)
    expect(await store.passports.findByKeys([{ id: 9 }], { credentials: false })).toMatchObject([
      { passport: { id: 7, mergedFrom: [8, 9] } },
    ])
  })

  test('does not show that it is merged into a visible passport', async () => {
    await using store = await open([ada, grete])
    await store.passports.hide(7, true, NOON)
    await store.passports.merge(7, 8)
    expect(await find(store, 7)).toBeUndefined()
    const hidden = Object.values(await readFrozen(store, { wallet: ADA_WALLET }))
    expect(hidden.filter((body) => body !== undefined)).toEqual([])
    expect(Object.values(await readFrozen(store, { id: 8 })).join()).not.toContain('"merged":true')
    expect(await store.passports.findByKeys([{ id: 8 }], { credentials: false })).toMatchObject([
      { passport: { id: 8, merged: false, mergedFrom: [] } },
    ])
    expect(await store.data(SUBJECTS).find(ADA_WALLET)).toMatchObject({ id: 8, hidden: false })
  })

  test('is unknown if there is no such passport', async () => {
    await using store = await open()
    expect(() => store.passports.hide(7, true, NOON)).toThrow('Resource not found.')
    expect(await store.data(SUBJECTS).find(ADA_WALLET)).toBeUndefined()
    expect(await store.data(EXPORTS).export(7)).toBeUndefined()
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
    const { name } = await store.events.log()
    for (const id of [7, 8]) {
      const all = await store.data(EXPORTS).export(id)
      expect(all).toMatchObject({
        passports: [
          {
            passport_id: 7,
            hidden_at: null,
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
    await store.passports.hide(7, true, LATER)
    const removals = [7, 8].map((id) => ({ type: 'passport.removed', subject: String(id) }))
    expect(await store.data(EXPORTS).export(7)).toMatchObject({
      passports: [{ hidden_at: isoTime(LATER) }, { hidden_at: isoTime(LATER) }],
      events: removals,
    })
  })
})
