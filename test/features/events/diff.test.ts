import { expect, test } from 'bun:test'
import type { Credential } from '../../../src/core/passport/credential.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { credential, NOON, record } from '../../support/store/records.ts'

const HOUR = 3_600_000
const iso = (time: number) => new Date(time).toISOString()

/** Passport 7 has score 3 at noon, and 9 an hour later, when passport 8 is added. */
async function openChanged() {
  const [old, kites, github] = [
    credential('a', { score: 2 }),
    credential('b', { type: 'kites', name: 'Kites', score: 1 }),
    credential('c', { type: 'github', name: 'GitHub', score: 4 }),
  ]
  const of7 = (total: number, credentials: Credential[]) =>
    record(7, { mainWallet: '0x7', scores: { total, identity: total }, credentials })
  const store = await openTestStore('sqlite', [of7(3, [old, kites])])
  const changed = of7(9, [{ ...old, score: 5, givenScore: 5 }, github])
  await store.records.save(
    [changed, record(8)].map((passport) => ({ kind: 'passport', passport })),
    { now: NOON + HOUR, restore: false },
  )
  return store
}

const shared = shareServer(openChanged, (store) => serveTest(store, { now: () => NOON + 2 * HOUR }))
const server = { get: (target: string) => shared.get(`/api/v3/passports/${target}`) }

test('a diff has the net change and its causes, and its end is the current time by default', async () => {
  const { status, body } = await server.get(`0x7/diff?from=${iso(NOON)}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    passport_id: 7,
    from: iso(NOON),
    to: iso(NOON + 2 * HOUR),
    score: [3, 9],
    causes: [
      { type: 'github', delta: 4, cause: 'added' },
      { type: 'ens', delta: 3, cause: 'record' },
      { type: 'kites', delta: -1, cause: 'gone' },
    ],
  })
  const same = await server.get(`7/diff?from=${iso(NOON)}&to=${iso(NOON + HOUR - 1)}`)
  expect(same.body).toMatchObject({ score: [3, 3], causes: [] })
  const atChange = await server.get(`7/diff?from=${iso(NOON)}&to=${iso(NOON + HOUR)}`)
  expect(atChange.body.score).toEqual([3, 9])
  const added = await server.get(`8/diff?from=${iso(NOON)}`)
  expect(added.body).toMatchObject({ score: [null, 0], causes: [] })
})

test('a diff gets 404 if it begins before the event log, or ends before the passport existed', async () => {
  const from = `from=${iso(NOON)}`
  expect((await server.get('7/diff?from=2026-01-01')).body).toMatchObject({
    status: 404,
    code: 'before_history',
    known_since: iso(NOON),
  })
  expect((await server.get(`8/diff?${from}&to=${iso(NOON)}`)).body).toMatchObject({
    status: 404,
    code: 'not_found',
  })
})
