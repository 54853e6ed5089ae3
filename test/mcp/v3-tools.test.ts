import { afterAll, beforeAll, expect, test } from 'bun:test'
import { workplace } from '../support/cli-sandbox.ts'
import { stdioAgent } from '../support/http/mcp.ts'
import { withEngine } from '../support/store/engines.ts'
import { ada, credential, NOON, record } from '../support/store/records.ts'

const HOUR = 3_600_000
const at = (hours: number) => new Date(NOON + hours * HOUR).toISOString()
const social = (name: string) =>
  ({ ...ada.socials[0], source: 'github', name }) as (typeof ada.socials)[number]

/** Passport 7 has the score 10 at noon and 14 an hour later. */
const zoe = (total: number) =>
  record(7, {
    profile: { displayName: 'Zoë' },
    socials: [social('zoe'), social('twin')],
    scores: { total, identity: total },
    credentials: [credential('c', { type: 'ens', name: 'E\nNS', score: total })],
    calculatedAt: NOON + total,
  })

withEngine('sqlite', 'the mcp tools of v3', (makeDatabase) => {
  let here: Awaited<ReturnType<typeof workplace>>
  let agent: Awaited<ReturnType<typeof stdioAgent>>

  beforeAll(async () => {
    here = await workplace(makeDatabase, { records: [zoe(10), record(8, { socials: [social('twin')] })] })
    await here.look((store) =>
      store.records.save([{ kind: 'passport', passport: zoe(14) }], { now: NOON + HOUR, restore: false }),
    )
    agent = await stdioAgent(here)
  })

  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await here[Symbol.asyncDispose]()
  })

  test('lookup_passports returns one item for each key, in order', async () => {
    const keys = [8, 'github:Zoe', '404', 'github:', 'github:twin', '7']
    const { data } = await agent.call('lookup_passports', { keys })
    const found = { passport_id: 7, name: 'Zoë', score: 14, identity_score: 14, rules: null }
    expect(data).toMatchObject({
      found: 3,
      items: [
        { key: '8', passport: { passport_id: 8, score: 0 } },
        { key: 'github:Zoe', passport: { ...found, links: { api: '/api/v1/passports/7' } } },
        { key: '404', error: 'not_found' },
        { key: 'github:', error: 'malformed' },
        { key: 'github:twin', error: 'ambiguous', candidates: [7, 8] },
        { key: '7', passport: found },
      ],
    })
  })

  test('tools of one passport accept a handle', async () => {
    for (const tool of ['get_passport', 'get_credentials', 'explain_score']) {
      const { data } = await agent.call(tool, { passport: 'github:@zoe' })
      expect(data).toMatchObject({ passport_id: 7, score: 14 })
    }
  })

  test('score_at returns the score and the credentials of that time', async () => {
    const before = await agent.call('score_at', { passport: 'github:zoe', as_of: at(0.5) })
    expect(before.data).toMatchObject({
      passport_id: 7,
      score: 10,
      identity_score: 10,
      as_of: at(0.5),
      total: 1,
      credentials: [{ type: 'ens', score: 10, value: null }],
    })
    const after = await agent.call('score_at', { passport: 7, as_of: at(1) })
    expect(after.data).toMatchObject({ score: 14, credentials: [{ score: 14 }] })
  })

  test('what_changed returns causes that add up', async () => {
    const { data } = await agent.call('what_changed', { passport: 'github:zoe', from: at(0), to: at(2) })
    expect(data).toEqual({
      passport_id: 7,
      from: at(0),
      to: at(2),
      score: [10, 14],
      causes: [{ type: 'ens', delta: 4, cause: 'record' }],
      total: 1,
    })
    const now = await agent.call('what_changed', { passport: '7', from: at(1) })
    expect(now.data).toMatchObject({ score: [14, 14], causes: [], total: 0 })
  })

  test('an invalid call returns an error in one sentence', async () => {
    const known = `changes are known since ${at(0)}.`
    const sentences: [string, Record<string, unknown>, string][] = [
      ['lookup_passports', {}, 'keys must be a list of 1 to 100 passports, got undefined.'],
      ['lookup_passports', { keys: [] }, 'keys must be a list of 1 to 100 passports, got 0.'],
      [
        'lookup_passports',
        { keys: Array(101).fill('7') },
        'keys must be a list of 1 to 100 passports, got 101.',
      ],
      [
        'lookup_passports',
        { keys: ['7', null] },
        'keys[1] must be a passport id, a wallet or a handle, got null.',
      ],
      [
        'get_passport',
        { passport: 'github:twin' },
        '"github:twin" is a handle of several passports: use an id.',
      ],
      [
        'score_at',
        { passport: 'github:twin', as_of: at(1) },
        '"github:twin" is a handle of several passports: use an id.',
      ],
      ['score_at', { passport: 7 }, 'as_of must be a day or a time, got undefined.'],
      [
        'score_at',
        { passport: 7, as_of: 'noon' },
        'as_of must be a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z, got "noon".',
      ],
      ['score_at', { passport: 404, as_of: at(1) }, `There is no passport "404" at ${at(1)}.`],
      ['score_at', { passport: 7, as_of: '2020-01-01' }, `as_of is 2020-01-01T00:00:00.000Z, but ${known}`],
      ['what_changed', { passport: 7, from: '2020-01-01' }, `from is 2020-01-01T00:00:00.000Z, but ${known}`],
      ['what_changed', { passport: 7, from: at(1), to: at(0) }, 'to must not be before from.'],
      ['what_changed', { passport: 7, from: at(1), to: 5 }, 'to must be a day or a time, got 5.'],
      ['what_changed', { passport: 404, from: at(1) }, 'There is no passport "404".'],
    ]
    for (const [tool, args, text] of sentences) {
      expect([tool, await agent.call(tool, args)]).toEqual([tool, { text, data: undefined, isError: true }])
    }
  })
})
