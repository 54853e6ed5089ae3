import { expect, spyOn, test } from 'bun:test'
import { Compile } from 'typebox/compile'
import { Passport } from '../../../src/core/api/schemas.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { shareServer } from '../../support/http/server.ts'
import { serveLookup } from '../../support/http/servers.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { credential, NOON, record } from '../../support/store/records.ts'

const HOUR = 3_600_000
const passport = Compile(Passport)
const iso = (time: number) => new Date(time).toISOString()

/** The same passport at noon and an hour later. */
const before = record(7, {
  mainWallet: '0x1',
  profile: { displayName: 'Ada', bio: 'old' },
  scores: { total: 3, identity: 3 },
  credentials: [
    credential('a', { score: 2, value: 'ada.eth' }),
    credential('b', { type: 'kites', name: 'Kites', score: 1 }),
  ],
})
const after = record(7, {
  mainWallet: '0x2',
  profile: { displayName: 'Ada', bio: 'new' },
  scores: { total: 9, identity: 9 },
  calculatedAt: NOON + HOUR,
  credentials: [
    credential('a', { score: 5, value: 'lovelace.eth' }),
    credential('c', { type: 'github', name: 'GitHub', score: 4 }),
  ],
})

async function openChanged() {
  const store = await openTestStore('sqlite', [before, record(9)])
  const changed = [after, record(8, { mainWallet: '0x8' }), record(9, { human: true })]
  await store.records.save(
    changed.map((passport) => ({ kind: 'passport', passport })),
    { now: NOON + HOUR, restore: false },
  )
  return store
}

/** Paths for `get` begin after /api/v3/passports/. */
async function serve(store: Store) {
  const server = await serveLookup(store, { now: () => NOON + 2 * HOUR })
  return { ...server, store, get: (target: string) => server.get(`/api/v3/passports/${target}`) }
}

const server = shareServer(openChanged, serve)

test('as_of gives earlier scores, credentials, human flag and rules, but the current profile and wallets, and no text of a value that has changed since', async () => {
  const { status, body } = await server.get(`7?include=credentials&as_of=${iso(NOON + HOUR - 1)}`)
  expect(status).toBe(200)
  expect(passport.Check(body)).toBe(true)
  expect(body).toMatchObject({
    score: 3,
    identity_score: 3,
    calculating_score: false,
    last_calculated_at: iso(NOON),
    rules: null,
    main_wallet: '0x2',
    passport_profile: { bio: 'new' },
    credentials: [
      { id: 'a', score: 2, value: null, from: null },
      { id: 'b', type: 'kites', name: 'Kites', score: 1, from: null },
    ],
  })
  expect(body.credentials).toHaveLength(2)
  const human = async (time: number) => (await server.get(`9?as_of=${iso(time)}`)).body.human_checkmark
  expect([await human(NOON), await human(NOON + HOUR)]).toEqual([false, true])
  const current = await server.get('7?include=credentials')
  for (const time of [NOON + HOUR, NOON + 2 * HOUR])
    expect((await server.get(`7?include=credentials&as_of=${iso(time)}`)).body).toEqual(current.body)
  expect((await server.get(`0x2?select=score&as_of=${iso(NOON)}`)).text).toBe('{"score":3}')
})

test('standing and explanation are null for an earlier time', async () => {
  const query = `as_of=${iso(NOON)}`
  const { body } = await server.get(`7?include=standing,explanation&${query}`)
  expect([body.standing, body.explanation]).toEqual([null, null])
  expect(passport.Check(body)).toBe(true)
  expect((await server.get(`7?select=standing.rank&${query}`)).body).toEqual({ standing: null })
  expect((await server.get(`7?${query}`)).body).not.toHaveProperty('standing')
})

test('as_of accepts a day, which means its first moment in UTC, and a time with an offset', async () => {
  const { body } = await server.get('7?as_of=2026-01-02')
  expect(body.detail).toContain('2026-01-02T00:00:00.000Z')
  expect((await server.get('7?as_of=2026-01-02T14:30:00%2B02:00')).body.score).toBe(3)
})

test('a time that is malformed or in the future gets 400', async () => {
  const form = 'as_of must be a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z'
  for (const [text, detail] of [
    ['yesterday', `${form}, got "yesterday".`],
    ['2026-02-30', `${form}, got "2026-02-30".`],
    ['2026-01-03', `as_of must not be in the future, got "2026-01-03"; it is ${iso(NOON + 2 * HOUR)} now.`],
  ] as const) {
    const { status, body } = await server.get(`7?as_of=${text}`)
    expect([status, body.errors]).toEqual([400, [{ pointer: '?as_of', detail }]])
    const inBody = await server.lookUp(['7'], { as_of: text })
    expect([inBody.status, inBody.body.errors]).toEqual([400, [{ pointer: '#/as_of', detail }]])
  }
  const { body } = await server.lookUp(['7'], { as_of: 5 })
  expect(body.errors).toEqual([{ pointer: '#/as_of', detail: 'as_of must be a string, got 5.' }])
})

test('a time before the event log begins gets before_history, and a time before the passport existed gets not_found', async () => {
  await using store = await openChanged()
  await using server = await serve(store)
  const early = { status: 404, code: 'before_history', known_since: iso(NOON) }
  expect((await server.get(`7?as_of=${iso(NOON - 1)}`)).body).toMatchObject(early)
  expect((await server.lookUp(['7'], { as_of: iso(NOON - 1) })).body).toMatchObject(early)
  const { body } = await server.get(`8?as_of=${iso(NOON)}`)
  expect(body).toMatchObject({
    status: 404,
    code: 'not_found',
    detail: 'There is no passport "8" at 2026-01-02T12:00:00.000Z.',
  })
  expect((await server.get(`8?as_of=${iso(NOON + HOUR)}`)).status).toBe(200)
  await server.store.events.prune(NOON + 1)
  const pruned = await server.get(`7?as_of=${iso(NOON - 1)}`)
  expect(pruned.body).toMatchObject({ code: 'before_history', known_since: iso(NOON) })
})

test('a lookup reads the events of all its passports in one call', async () => {
  using list = spyOn(server.store.events, 'listAfterTime')
  const keys = [
    '7',
    '8',
    '0x2',
    '0x8',
    '99',
    '7',
    'lens:',
    ...Array.from({ length: 40 }, (_, id) => `${1000 + id}`),
  ]
  const { body } = await server.lookUp(keys, { as_of: iso(NOON), select: ['score', 'credentials.score'] })
  const past = { score: 3, credentials: [{ score: 2 }, { score: 1 }] }
  expect(body.items.slice(0, 7)).toEqual([
    { key: '7', passport: past },
    { key: '8', error: 'not_found' },
    { key: '0x2', passport: past },
    { key: '0x8', error: 'not_found' },
    { key: '99', error: 'not_found' },
    { key: '7', passport: past },
    { key: 'lens:', error: 'malformed' },
  ])
  expect(body.found).toBe(3)
  expect(list).toHaveBeenCalledTimes(1)
})
