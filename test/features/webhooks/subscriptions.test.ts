import { expect, test } from 'bun:test'
import { MOST_SUBSCRIPTIONS, MOST_SUBSCRIPTIONS_OF_KEY } from '../../../src/features/webhooks/subscription.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { SUBSCRIPTIONS } from '../../support/features/webhooks.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords } from '../../support/http/server.ts'
import { subscribe } from '../../support/http/webhook-receiver.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { NOON, record, social } from '../../support/store/records.ts'

const PATH = '/api/v3/subscriptions'
const URL = 'https://example.com/hook'

/** A server with three passports, and requests with a key. */
async function serve() {
  const zoe = record(2, { socials: [social('github', 'zoe')] })
  const server = await serveRecords({}, [record(1), zoe, record(3)])
  const [one, two, reader] = [
    await makeKey(server.store, 1),
    await makeKey(server.store, 2),
    await makeKey(server.store, 3, { scopes: ['read'] }),
  ]
  const call = (method: string, path = '', body?: unknown, key: { key: string } = one) =>
    server.get(PATH + path, {
      method,
      headers: { 'X-API-KEY': key.key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const { name } = await server.store.events.log()
  return Object.assign(server, { call, one, two, reader, log: name })
}

test('a subscription is created at the end of the log with a secret that is shown once, and can be listed, read and removed', async () => {
  await using server = await serve()
  const { call, log } = server
  const made = await call('POST', '', { url: URL })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^sub_[0-9a-f]{16}$/),
      url: URL,
      types: null,
      passport: null,
      score: null,
      state: 'active',
      cursor: `${log}-3`,
      lag: 0,
      failures: 0,
      last_error: null,
      notice: null,
      next_attempt_at: null,
      last_delivered_at: null,
      created_at: new Date(NOON).toISOString(),
      public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  ])
  const { secret, ...shown } = made.body
  expect((await call('GET', `/${shown.id}`)).body).toEqual(shown)
  expect((await call('GET')).body).toEqual({ items: [shown] })
  expect((await call('DELETE', `/${shown.id}`)).body).toEqual(shown)
  expect((await call('GET', `/${shown.id}`)).status).toBe(404)
  expect(
    (await server.store.data(AUDIT).list({ limit: 2 })).map(({ actor, action }) => [actor, action]),
  ).toEqual([
    [`key:${server.one.id}`, 'subscriptions.remove'],
    [`key:${server.one.id}`, 'subscriptions.create'],
  ])
})

test('a subscription has a filter and a start, which a change replaces or removes', async () => {
  await using server = await serve()
  const { call, log } = server
  const filter = { types: ['score.changed'], passport: 'github:zoe', score: { above: 50 } }
  const { status, body } = await call('POST', '', { url: URL, ...filter, after: `${log}-1` })
  expect([status, body]).toMatchObject([201, { ...filter, passport: 2, cursor: `${log}-1`, lag: 2 }])
  const change = (given: object) => call('PATCH', `/${body.id}`, given)
  expect((await change({ types: null, passport: 3 })).body).toMatchObject({
    types: null,
    passport: 3,
    score: { above: 50 },
  })
  expect((await change({ after: `${log}-0`, state: 'paused' })).body).toMatchObject({
    cursor: `${log}-0`,
    lag: 3,
    state: 'paused',
    passport: 3,
  })
  expect((await change({ after: 'latest', url: `${URL}2`, passport: null, score: null })).body).toMatchObject(
    {
      cursor: `${log}-3`,
      url: `${URL}2`,
      passport: null,
      score: null,
      state: 'paused',
    },
  )
  expect((await server.store.data(AUDIT).list({ limit: 1 }))[0]?.detail).toEqual({
    subscriptions: [body.id],
    changed: ['url', 'filter', 'cursor', 'notice'],
  })
})

test('a rotation returns a new secret and public key, and the last four old ones stay valid for 24 hours', async () => {
  await using server = await serve()
  const { body: made } = await server.call('POST', '', { url: URL })
  const { body: rotated } = await server.call('POST', `/${made.id}/rotate`)
  expect(rotated.secret).not.toBe(made.secret)
  expect(rotated.public_key).not.toBe(made.public_key)
  await server.call('POST', `/${made.id}/rotate`)
  const found = await server.store.data(SUBSCRIPTIONS).find(made.id)
  const end = NOON + 24 * 3_600_000
  expect(found?.keys.slice(1).map(({ secret, until }) => [secret, until])).toEqual([
    [rotated.secret, end],
    [made.secret, end],
  ])
  for (let at = 0; at < 4; at++) await server.call('POST', `/${made.id}/rotate`)
  expect((await server.store.data(SUBSCRIPTIONS).find(made.id))?.keys.length).toBe(5)
  expect((await server.store.data(AUDIT).list({ limit: 1 }))[0]?.action).toBe('subscriptions.rotate')
})

test('a subscription is hidden from other keys, and needs a key with the scope events', async () => {
  await using server = await serve()
  const { call, two, reader } = server
  const { body } = await call('POST', '', { url: URL })
  const other = { GET: '', PATCH: '', DELETE: '', POST: '/rotate' }
  for (const [method, end] of Object.entries(other)) {
    const given = method === 'PATCH' ? { state: 'paused' } : undefined
    const refused = await call(method, `/${body.id}${end}`, given, two)
    expect([refused.status, refused.body.detail]).toEqual([404, `This key has no subscription "${body.id}".`])
  }
  expect((await call('GET', '', undefined, two)).body.items).toEqual([])
  const paths = [
    ['GET', ''],
    ['POST', ''],
    ...Object.entries(other).map(([method, end]) => [method, `/${body.id}${end}`]),
  ]
  for (const [method = '', path = ''] of paths) {
    expect((await server.get(PATH + path, { method })).status).toBe(401)
    const init = { method, headers: { 'X-API-KEY': reader.key } }
    expect((await fetch(server.url.origin + PATH + path, init)).status).toBe(403)
  }
  expect((await call('GET')).body.items.length).toBe(1)
})

test('invalid members are refused with one sentence each', async () => {
  await using server = await serve()
  const { call, log } = server
  const problems: [object | string, string, string][] = [
    [{}, '#/url', 'url is missing.'],
    ['x', '#', 'The body must be an object, got "x".'],
    [
      { url: 'http://example.com' },
      '#/url',
      'url must be an https URL of at most 1000 characters, without a user name or password, got "http://example.com".',
    ],
    [{ url: 'https://127.0.0.1/' }, '#/url', 'url must have a public address, got "https://127.0.0.1/".'],
    [
      { url: URL, types: ['score'] },
      '#/types/0',
      'types.0 must be passport.added, passport.changed, passport.merged, passport.unmerged, passport.removed, score.changed or rules.changed, got "score".',
    ],
    [{ url: URL, types: [] }, '#/types', 'types must be a list that is not empty, got [].'],
    [{ url: URL, score: { over: 5 } }, '#/score/over', 'score.over is not a known field.'],
    [{ url: URL, score: {} }, '#/score', 'score must be an object that is not empty, got {}.'],
    [{ url: URL, passport: true }, '#/passport', 'passport must be a string or an integer, got true.'],
    [
      { url: URL, passport: 'github:' },
      '#/passport',
      'A key must be an id, a wallet address, or a source and a name such as github:zoe, got "github:".',
    ],
    [
      { url: URL, after: 'x' },
      '#/after',
      'after must be "next" of a page, the id of an event, or latest, got "x".',
    ],
    [
      { url: URL, secret: 'x' },
      '#/secret',
      '"secret" is not a known member: use url, types, passport, score, after.',
    ],
  ]
  for (const [body, pointer, detail] of problems) {
    const refused = await call('POST', '', body)
    expect([refused.status, refused.body.errors[0]]).toEqual([400, { pointer, detail }])
  }
  const { body: made } = await call('POST', '', { url: URL })
  const refused = await call('PATCH', `/${made.id}`, { state: 'failed' })
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    [{ pointer: '#/state', detail: 'state must be active or paused, got "failed".' }],
  ])
  expect((await call('POST', '', { url: URL, passport: 'github:nobody' })).status).toBe(404)
  const expired = await call('POST', '', { url: URL, after: 'other-1' })
  expect([expired.status, expired.body.oldest_cursor]).toEqual([410, `${log}-0`])
  expect((await call('PATCH', `/${made.id}`, { after: `${log}-9` })).status).toBe(400)
})

test('a key may have 10 subscriptions, and all keys together 1,000', async () => {
  await using server = await serve()
  const { call, two, store } = server
  for (let made = 0; made < MOST_SUBSCRIPTIONS_OF_KEY; made++)
    expect((await call('POST', '', { url: URL })).status).toBe(201)
  const refused = await call('POST', '', { url: URL })
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'A key may have 10 subscriptions: remove one first.',
  ])
  for (let made = MOST_SUBSCRIPTIONS_OF_KEY; made < MOST_SUBSCRIPTIONS; made++)
    await subscribe(store, URL, { keyId: `key${made % 200}` })
  const full = await call('POST', '', { url: URL }, two)
  expect([full.status, full.body.code]).toEqual([503, 'overloaded'])
})

test('a key may create, change and rotate its webhooks 100 times in an hour', async () => {
  await using server = await serve()
  const { call, two, store } = server
  const { body } = await call('POST', '', { url: URL })
  for (let change = 2; change <= 100; change++) {
    const [method, path] = change % 2 === 0 ? ['PATCH', ''] : ['POST', '/rotate']
    expect((await call(method, `/${body.id}${path}`, { state: 'paused' })).status).toBe(200)
  }
  const before = await store.data(AUDIT).list({ limit: 1000 })
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', `/${body.id}`],
    ['POST', `/${body.id}/rotate`],
  ] as const) {
    const refused = await call(method, path, { url: URL })
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.body.detail).toStartWith('The limit is 100 changes of webhooks in 3600 s')
  }
  expect(await store.data(AUDIT).list({ limit: 1000 })).toEqual(before)
  expect((await call('POST', '', { url: URL }, two)).status).toBe(201)
  expect((await call('DELETE', `/${body.id}`)).status).toBe(200)
})

withEveryEngine('subscriptions', (makeDatabase) => {
  test('an operator lists, pauses, resumes and removes subscriptions', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1), record(2)] })
    expect(await here.call('subscriptions')).toMatchObject({
      out: '',
      err: `There are no subscriptions in ${here.database}.\n`,
    })
    const { id } = await here.look((store) =>
      subscribe(store, 'https://example.com/hook', {
        id: 'sub_1',
        keyId: 'k1',
        lastError: 'Bad \u001b[1m day.',
      }),
    )
    const list = async () => (await here.json('subscriptions', 'list'))[0]
    expect(await list()).toMatchObject({ id, key: 'k1', state: 'active', lag: 2 })
    expect(await list()).not.toHaveProperty('secret')
    expect((await here.call('subscriptions')).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'KEY', 'STATE', 'LAG', 'FAILURES', 'URL', 'PROBLEM'],
      [id, 'k1', 'active', '2', '0', 'https://example.com/hook', 'Bad \ufffd[1m day.'],
      [''],
    ])
    expect((await here.call('subscriptions', 'pause', id)).err).toBe(`Subscription ${id} is paused.\n`)
    expect(await list()).toMatchObject({ state: 'paused' })
    expect((await here.call('subscriptions', 'resume', id)).err).toBe(`Subscription ${id} is active.\n`)
    expect(await list()).toMatchObject({ state: 'active' })
    expect((await here.call('subscriptions', 'remove', id)).err).toBe(`Subscription ${id} is removed.\n`)
    expect(await list()).toBeUndefined()
    await here.refuses(`There is no subscription "${id}" in ${here.database}`, 'subscriptions', 'pause', id)
    expect(
      (await here.look((store) => store.data(AUDIT).list({ limit: 9 }))).map(({ action }) => action),
    ).toEqual([
      'subscriptions.remove',
      'subscriptions.change',
      'subscriptions.change',
      'subscriptions.create',
    ])
  })
})
