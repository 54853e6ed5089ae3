import { expect, test } from 'bun:test'
import { MOST_PROOFS } from '../../../src/features/own-record/statements.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { PROOFS, REQUESTS } from '../../support/features/own-record.ts'
import { serveMe } from '../../support/own-record/me-server.ts'
import { MALLORY, OLD_WALLET, WALLET_PEOPLE, ZOE } from '../../support/own-record/test-wallet.ts'
import { onEveryEngine, openTestStore, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { AUDIT } from '../../support/store/open.ts'
import { NOON, record } from '../../support/store/records.ts'

onEveryEngine('a person with a wallet', (open) => {
  test('a person with a wallet exports, hides, shows, asks for a correction and removes only their own passport', async () => {
    await using me = await serveMe({}, open(WALLET_PEOPLE))
    const token = await me.signIn()
    const other = await me.signIn(MALLORY)
    const get = (path: string) => me.get(path).then(({ status }) => status)
    const record = await me.call('GET', '', undefined, token)
    expect([record.status, record.headers.get('Cache-Control'), record.headers.get('ETag')]).toEqual([
      200,
      'no-store',
      null,
    ])
    expect(record.text).toContain('Zoë Lanternbrook')
    expect(record.text).not.toContain('Mallory')

    expect((await me.call('PATCH', '', { hidden: true }, token)).body.cursor).toMatch(/-\d+$/)
    expect([await get('/api/v3/passports/70'), await get('/api/v3/passports/66')]).toEqual([404, 200])
    // The wallet of a hidden passport, and one that was merged into it.
    const again = await me.signIn()
    const merged = await me.signIn(OLD_WALLET)
    expect((await me.call('GET', '', undefined, merged)).text).toContain('Zoë Lanternbrook')
    expect((await me.call('PATCH', '', { hidden: false }, again)).status).toBe(200)
    expect(await get('/api/v3/passports/70')).toBe(200)

    for (let count = 0; count < 10; count++)
      expect((await me.call('POST', '/requests', { text: `Wrong ${count}` }, token)).status).toBe(200)
    const eleventh = await me.call('POST', '/requests', { text: 'Wrong' }, token)
    expect([eleventh.status, eleventh.body.detail]).toEqual([
      400,
      expect.stringContaining('10 open requests'),
    ])
    expect((await me.call('POST', '/requests', { text: 'Mine' }, other)).status).toBe(200)
    expect((await me.call('GET', '', undefined, token)).text).toContain('Wrong 9')
    const first = (await me.store.data(REQUESTS).list()).find(({ passport_id }) => passport_id === 70)
    expect(await me.store.data(REQUESTS).remove(first?.id as string)).toBe(true)
    expect(await me.store.data(REQUESTS).remove(first?.id as string)).toBe(false)
    expect((await me.call('POST', '/requests', { text: 'Wrong' }, token)).status).toBe(200)

    expect((await me.call('DELETE', '', undefined, token)).status).toBe(200)
    expect([await get('/api/v3/passports/70'), await get('/api/v3/passports/66')]).toEqual([404, 200])
    expect((await me.call('GET', '', undefined, token)).status).toBe(401)
    expect((await me.call('GET', '', undefined, again)).status).toBe(401)
    expect((await me.store.data(REQUESTS).list()).map(({ passport_id }) => passport_id)).toEqual([66])
    const actors = (await me.store.data(AUDIT).list({ limit: 100 })).map(
      ({ actor, action }) => `${actor} ${action}`,
    )
    for (const action of ['passports.hide', 'passports.unhide', 'passports.remove', 'requests.create'])
      expect(actors).toContain(`subject ${action}`)
    expect(actors).toContain('cli requests.done')
    expect(me.errors).toEqual([])
  })

  test('the number of challenges and sessions is limited, and expired ones are deleted', async () => {
    await using store = await open()
    const now = NOON
    const add = (id: string, expiresAt: number) => store.data(PROOFS).add({ id, digest: 'd', expiresAt }, now)
    await add('expired', now - 1)
    await add('valid', now + 1)
    expect([
      await store.data(PROOFS).isValid('expired', now),
      await store.data(PROOFS).take('expired', now),
    ]).toEqual([false, undefined])
    expect([
      await store.data(PROOFS).isValid('valid', now),
      await store.data(PROOFS).take('valid', now),
    ]).toEqual([true, 'd'])
    expect(await store.data(PROOFS).take('valid', now)).toBeUndefined()
    await execute(
      store.url,
      `insert into proofs with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MOST_PROOFS})
       select 'p' || i, 'd', ${now} + i from n`,
    )
    await add('new', now + MOST_PROOFS + 1)
    const left = ['p1', 'p2', 'new'].map((id) => store.data(PROOFS).isValid(id, now))
    expect(await Promise.all(left)).toEqual([false, true, true])
  })
})

test('a wallet without a passport gets 404 only after the proof, with the contact of the operator', async () => {
  await using me = await serveMe({ contact: 'mailto:help@example.com' }, openTestStore('sqlite'))
  const { message, nonce } = await me.challenge()
  const { status, body } = await me.session(ZOE.address, nonce, ZOE.sign(message))
  expect([status, body.detail]).toEqual([
    404,
    `No passport here has the wallet ${ZOE.address}. Contact of the operator: help@example.com`,
  ])
})

test.each([
  [{ wallet: 'DemoSo1anaAddressWhereCaseCounts11111111111' }, 'wallet must be an Ethereum address'],
  [{ wallet: '0x12' }, 'wallet must be an Ethereum address'],
  [{ wallet: 7 }, 'wallet'],
  [{ walet: ZOE.address }, 'wallet'],
])('the challenge %j is refused', async (body, reason) => {
  await using me = await serveMe()
  const reply = await me.call('POST', '/challenge', body)
  expect([reply.status, JSON.stringify(reply.body.errors)]).toEqual([400, expect.stringContaining(reason)])
})

test('an empty, long or unstorable request is refused', async () => {
  await using me = await serveMe()
  const token = await me.signIn()
  for (const text of ['', ' ', 'x'.repeat(2001), 'a\0b', '\ud800'])
    expect((await me.call('POST', '/requests', { text }, token)).status).toBe(400)
})

test('the domain is that of PUBLIC_URL; without it, only loopback addresses can prove wallets', async () => {
  await using named = await serveMe({ publicUrl: 'https://people.example' })
  expect((await named.challenge()).message).toStartWith('people.example wants you to sign in')
  await using unnamed = await serveMe()
  expect((await unnamed.challenge()).message).toStartWith(`127.0.0.1:${unnamed.port} wants you`)
  const { status, body } = await unnamed.call('POST', '/challenge', { wallet: ZOE.address }, '', {
    Host: 'evil.example',
  })
  expect([status, body.detail]).toEqual([400, expect.stringContaining('PUBLIC_URL')])
})

test('no key is needed where keys are required', async () => {
  await using me = await serveMe({ requireKey: true })
  expect((await me.call('GET', '', undefined, await me.signIn())).status).toBe(200)
})

test('proofs are limited per address, before anything is verified, and nobody can use up those of another person', async () => {
  await using me = await serveMe({ trustedProxies: ['127.0.0.1'] })
  const { nonce, message } = await me.challenge()
  const ask = async (address: string, wallet: string) =>
    (await me.call('POST', '/challenge', { wallet }, '', { 'X-Forwarded-For': address })).status
  const walletOf = (at: number) => `0x${at.toString(16).padStart(40, '0')}`
  const ofAddress: number[] = []
  for (let at = 0; at < 31; at++) ofAddress.push(await ask('192.0.2.1', walletOf(at)))
  expect(ofAddress).toEqual([...new Array(30).fill(200), 429])
  for (let at = 0; at < 40; at++) expect(await ask(`198.51.100.${at}`, ZOE.address)).toBe(200)
  const proof = { wallet: ZOE.address, nonce, signature: ZOE.sign(message) }
  const prove = async (address: string) =>
    (await me.call('POST', '/session', proof, '', { 'X-Forwarded-For': address })).status
  expect([await prove('192.0.2.1'), await prove('203.0.113.1')]).toEqual([429, 200])
})

test('a person can hide or show the passport six times a day', async () => {
  await using me = await serveMe()
  const token = await me.signIn()
  const change = async (hidden: boolean) => (await me.call('PATCH', '', { hidden }, token)).status
  for (let at = 0; at < 6; at++) expect(await change(at % 2 === 0)).toBe(200)
  expect(await change(true)).toBe(429)
})

test('a challenge does not say whether a passport has the wallet', async () => {
  await using me = await serveMe()
  const known = await me.call('POST', '/challenge', { wallet: ZOE.address })
  const unknown = await me.call('POST', '/challenge', { wallet: `0x${'1'.repeat(40)}` })
  expect([known.status, unknown.status, Object.keys(known.body)]).toEqual([
    200,
    200,
    Object.keys(unknown.body),
  ])
})

const TEXT = 'I moved.\n\nSee \u001b[31mhttps://example.com'

withEveryEngine('requests', (makeDatabase) => {
  test('the command requests lists the open requests, and deletes one that is done', async () => {
    await using here = await workplace(makeDatabase, { records: [record(7)] })
    expect(await here.call('requests')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('no open requests'),
    })
    await here.look((store) =>
      store.data(REQUESTS).add({ id: 'abc', passport_id: 7, text: TEXT, created_at: NOON }),
    )
    expect((await here.call('requests', 'list')).out).toBe(
      'Request abc of passport 7, 2026-01-02T12:00:00.000Z\n\nI moved.\n\nSee \ufffd[31mhttps://example.com\n\n',
    )
    expect(await here.json('requests', 'list')).toEqual([
      { id: 'abc', passport_id: 7, text: TEXT, created_at: '2026-01-02T12:00:00.000Z' },
    ])
    await here.refuses('There is no open request "abd"', 'requests', 'done', 'abd')
    expect((await here.call('requests', 'done', 'abc')).err).toBe('Request abc is done and deleted.\n')
    expect(await here.json('requests')).toEqual([])
    expect((await here.json('audit')).at(-1)).toMatchObject({
      actor: 'cli',
      action: 'requests.done',
      detail: { requests: ['abc'] },
    })
  })

  test('a request of a passport that was removed is not stored', async () => {
    await using here = await workplace(makeDatabase, { records: [record(7)] })
    const request = { id: 'abc', passport_id: 7, text: TEXT, created_at: NOON }
    await here.look((store) => store.data(REQUESTS).add(request))
    await here.look((store) => store.passports.remove(7, NOON))
    expect(await here.json('requests')).toEqual([])
    const added = here.look((store) => store.data(REQUESTS).add({ ...request, id: 'abd' }))
    expect(added).rejects.toThrow('not found')
    await added.catch(() => undefined)
  })
})
