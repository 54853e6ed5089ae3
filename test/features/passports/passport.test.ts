import { expect, test } from 'bun:test'
import { Compile } from 'typebox/compile'
import { Passport } from '../../../src/core/api/schemas.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import { ada, credential, NOON, PEOPLE, record } from '../../support/store/records.ts'
import { adoptRules, DEFAULT_RULES } from '../../support/store/scoring.ts'
import { score } from '../../support/store/store-changes.ts'

const passport = Compile(Passport)
const social = { ...ada.socials[0], source: 'github', name: 'Zoe' } as (typeof ada.socials)[number]

const zoe = record(1, {
  socials: [{ ...social, followers: '1,204', following: '1.2k', bio: '' }],
  credentials: [
    credential('c-1', { type: 'kite', name: 'Kites', category: 'Skills', score: 4, maxScore: 5 }),
  ],
  scores: { total: 4, skills: 4 },
  dataPoints: [{ type: 'ens', account: '', value: { kind: 'number', amount: 3 }, display: '' }],
})

/** Scores all stale passports by the built-in rule set. */
async function scoreAll(store: Store): Promise<void> {
  await adoptRules({ store, rules: DEFAULT_RULES })
  await score(store)
}

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveTest)
const get = (target: string) => server.get(`/api/v3/passports/${target}`)

test('a passport has the fields of V1, but a text without a known value is null, and counts are numbers', async () => {
  await using server = await serveRecords({}, [zoe])
  const { status, headers, body } = await server.get('/api/v3/passports/1')
  expect(status).toBe(200)
  expect(passport.Check(body)).toBe(true)
  expect(body).toMatchObject({
    passport_id: 1,
    score: 4,
    activity_score: 0,
    last_calculated_at: '2026-01-02T12:00:00.000Z',
    main_wallet: null,
    verified_wallets: [],
    passport_profile: { display_name: null, bio: null, location: null, tags: [] },
    passport_socials: [
      {
        source: 'github',
        profile_name: 'Zoe',
        profile_bio: null,
        follower_count: 1204,
        following_count: 1200,
      },
    ],
    merged_from: [],
    rules: null,
  })
  for (const name of ['credentials', 'standing', 'explanation']) expect(body).not.toHaveProperty(name)
  expect(headers.get('Cache-Control')).toBe('no-cache')
  expect(headers.has('Deprecation') || headers.has('Sunset') || headers.has('Link')).toBe(false)
})

test('the key of a merged passport finds its survivor, whose path is in Content-Location', async () => {
  const { body, headers } = await get('900')
  expect(body).toMatchObject({ passport_id: 3, merged_from: [900] })
  expect(headers.get('Content-Location')).toBe('/api/v3/passports/3')
  expect((await get('7')).headers.has('Content-Location')).toBe(false)
})

test('include adds the credentials, the standing, and an explanation whose lines add up to the score', async () => {
  await using server = await serveRecords({}, [zoe, record(2, { scores: { total: 1 } }), record(3)])
  await scoreAll(server.store)
  const { body } = await server.get('/api/v3/passports/1?include=credentials,standing,explanation')
  expect(passport.Check(body)).toBe(true)
  expect(body.rules).toBe(DEFAULT_RULES.stamp)
  expect(body.credentials).toMatchObject([
    { id: 'c-1', score: 4, from: 'record', earned_at: null, value: null, issuer: null },
    { type: 'ens', from: 'rule', value: '3' },
  ])
  expect(body.standing).toEqual({
    ...{ rank: 1, of: 3, percentile: 66.6 },
    parts: expect.anything(),
  })
  expect(body.explanation).toMatchObject({ rules: DEFAULT_RULES.stamp, score: body.score })
  const sum = body.explanation.lines.reduce((total: number, { score }: { score: number }) => total + score, 0)
  expect(sum).toBe(body.score)
})

test('the explanation uses the rule set that calculated the score, even after another rule set was applied', async () => {
  await using server = await serveRecords({}, [zoe])
  await scoreAll(server.store)
  const { stamp: _, ...shape } = { ...DEFAULT_RULES, types: { kite: DEFAULT_RULES.types.ens } }
  await server.store.data(RULE_SETS).apply({
    stamp: 'other',
    body: JSON.stringify(shape),
    appliedAt: NOON,
    source: 'apply',
  })
  const { body } = await server.get(
    '/api/v3/passports/1?select=score,rules,explanation.rules,explanation.score',
  )
  expect(body.explanation).toEqual({ rules: body.rules, score: body.score })
  expect(body.rules).toBe(DEFAULT_RULES.stamp)
})

test('after credentials are imported, the origin of each credential is null until they are scored', async () => {
  await using server = await serveRecords({}, [zoe])
  await scoreAll(server.store)
  await saveRecords(server.store, [{ ...zoe, stale: true, credentials: [credential('c-9')] }])
  const { body } = await server.get('/api/v3/passports/1?include=credentials')
  expect(body.credentials.map(({ from }: { from: string }) => from)).toEqual([null, null])
})

test('a response has only the fields named in `select`, even inside nested lists', async () => {
  const paths = 'score,passport_profile.display_name,passport_socials.source,credentials.score'
  expect((await get(`7?select=${paths}`)).text).toBe(
    '{"score":42.5,"passport_profile":{"display_name":"Ada  Lovélace 🐉"},"passport_socials":[{"source":"lens"}],"credentials":[{"score":20.25},{"score":12},{"score":5},{"score":5},{"score":3},{"score":0.25}]}',
  )
  expect((await get('7?select=score&include=standing')).body).toEqual({
    score: 42.5,
    standing: { rank: 1, of: 3, percentile: 33.3, parts: expect.anything() },
  })
  expect((await get('7?select=passport_profile,passport_profile.bio')).body.passport_profile).toHaveProperty(
    'tags',
  )
})

test.each([
  ['/api/v3/passports/KEY', '{key}'],
  ['/api/v3/passports/KEY/diff?from=2026-01-02T12:00:00Z', '{key}'],
  ['/api/v3/events?passport=KEY', '?passport'],
])(
  '%s gets 404 for an unknown key, 400 for a malformed one, and 409 for an ambiguous handle',
  async (target, pointer) => {
    await using server = await serveRecords({}, [
      record(1, { socials: [social] }),
      record(2, { socials: [social] }),
    ])
    const { init } = await makeKey(server.store, 1)
    const ask = async (key: string) => (await server.get(target.replace('KEY', key), init)).body
    for (const key of ['nobody', '0xnobody', 'lens:nobody', 'x'.repeat(128)])
      expect(await ask(key)).toMatchObject({ status: 404, code: 'not_found' })
    for (const key of ['9'.repeat(30), 'lens:', ':ada', '%00', 'x'.repeat(129), `lens:${'x'.repeat(250)}`])
      expect(await ask(key)).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
    expect(await ask('github:zoe')).toMatchObject({ status: 409, code: 'ambiguous', candidates: [1, 2] })
  },
)
