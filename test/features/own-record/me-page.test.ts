import { expect, test } from 'bun:test'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { REQUESTS } from '../../support/features/own-record.ts'
import { MALLORY, WALLET_PEOPLE, ZOE } from '../../support/own-record/test-wallet.ts'
import { owning } from '../../support/owning.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { SUBJECTS } from '../../support/store/open.ts'

const SAME = { 'Sec-Fetch-Site': 'same-origin' }

async function servePage(options: Parameters<typeof serveExplorer>[1] = {}) {
  const store = await openTestStore('sqlite', WALLET_PEOPLE)
  const server = serveExplorer(store, { tiers: '', ...options })
  const post = (fields: Record<string, string>, headers: Record<string, string> = SAME, path = '/me') =>
    server.look(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  const field = (text: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  const prove = async (wallet = ZOE) => {
    const { text } = await post({ action: 'challenge', wallet: wallet.address })
    const message = (/<pre[^>]*><code>([^<]+)<\/code><\/pre>/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
    return {
      action: 'session',
      wallet: wallet.address,
      nonce: field(text, 'nonce'),
      signature: wallet.sign(message),
    }
  }
  const signIn = async (wallet = ZOE) => {
    const { headers } = await post(await prove(wallet))
    const cookie = (headers.get('Set-Cookie') ?? '').split(';', 1)[0] as string
    const page = await server.look('/me', { headers: { Cookie: cookie } })
    return { cookie, csrf: field(page.text, 'csrf'), page }
  }
  return owning({ ...server, store, post, prove, signIn }, store, server)
}

test('a pasted signature opens a session with a cookie that scripts and other sites cannot use', async () => {
  await using site = await servePage()
  const first = await site.look('/me')
  expect([first.status, first.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
  const { status, headers } = await site.post(await site.prove())
  expect([status, headers.get('Location'), headers.get('Cache-Control')]).toEqual([303, '/me', 'no-store'])
  expect(headers.get('Set-Cookie')).toMatch(
    /^passportd_me=0x[0-9a-f]{40}\.[\w-]{43}; Path=\/me; HttpOnly; SameSite=Strict; Max-Age=3600$/,
  )
  const { cookie, page } = await site.signIn()
  expect(page.text).toContain('passport 70')
  expect(page.headers.get('Cache-Control')).toBe('no-store')
  const download = await site.look('/me/passport.json', { headers: { Cookie: `a=b; ${cookie}` } })
  expect([download.status, download.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
  expect(download.headers.get('Content-Disposition')).toBe('attachment; filename="passport.json"')
  expect(download.headers.get('Access-Control-Allow-Origin')).toBeNull()
  expect(JSON.parse(download.text).passports[0].display_name ?? download.text).toContain('Zoë')
  expect((await site.look('/me/passport.json')).status).toBe(401)
})

test('the link of a passport names the person and fills the main wallet in, and other values are ignored', async () => {
  await using site = await servePage()
  const { text } = await site.look('/passports/70')
  const [, address = ''] = /href="(\/me\?[^"]+)">Is this you/.exec(text) ?? []
  const shown = (await site.look(address)).text
  expect(shown).toContain(`name="wallet" value="${ZOE.address.toLowerCase()}"`)
  expect(shown).toMatch(/First show that the passport is yours.*<li><a href="\/passports\/70">/s)
  expect((await site.look('/me')).text).not.toContain('/passports/70')
  for (const wallet of ['0x12', 'a"b', `${ZOE.address}0`])
    expect((await site.look(`/me?${new URLSearchParams({ wallet })}`)).text).toContain(
      'name="wallet" value=""',
    )
})

test('the cookie is Secure if the public URL is https', async () => {
  await using site = await servePage({ publicUrl: 'https://people.example' })
  const { headers } = await site.post(await site.prove(), { Origin: 'https://people.example' })
  expect(headers.get('Set-Cookie')).toEndWith('; Max-Age=3600; Secure')
})

test('forms hide, show, ask, remove after a typed confirmation, and sign out', async () => {
  await using site = await servePage()
  const { cookie, csrf } = await site.signIn()
  const send = (fields: Record<string, string>) => site.post({ csrf, ...fields }, { ...SAME, Cookie: cookie })
  const look = async (path: string) => (await site.look(path, { headers: { Cookie: cookie } })).status
  expect((await send({ action: 'hide' })).headers.get('Location')).toBe('/me?done=hide')
  expect([await look('/passports/70'), await look('/me')]).toEqual([404, 200])
  await send({ action: 'show' })
  expect(await look('/passports/70')).toBe(200)
  expect((await send({ action: 'request', text: 'I <b>moved</b>' })).status).toBe(303)
  expect(await site.store.data(REQUESTS).list()).toMatchObject([{ passport_id: 70, text: 'I <b>moved</b>' }])
  const unconfirmed = await send({ action: 'remove', confirmation: 'yes' })
  expect([unconfirmed.status, unconfirmed.text]).toEqual([
    400,
    expect.stringContaining('Nothing was removed'),
  ])
  expect(await look('/passports/70')).toBe(200)
  const other = await site.signIn(MALLORY)
  const left = await site.post({ action: 'leave', csrf: other.csrf }, { ...SAME, Cookie: other.cookie })
  expect(left.headers.get('Set-Cookie')).toContain(
    'passportd_me=; Path=/me; HttpOnly; SameSite=Strict; Max-Age=0',
  )
  expect((await site.look('/me/passport.json', { headers: { Cookie: other.cookie } })).status).toBe(401)
  const removed = await send({ action: 'remove', confirmation: 'Remove ' })
  expect([removed.status, removed.headers.get('Set-Cookie')]).toEqual([
    303,
    expect.stringContaining('Max-Age=0'),
  ])
  expect([await look('/passports/70'), await look('/me/passport.json')]).toEqual([404, 401])
  expect((await site.look('/me?done=remove')).text).toContain('Your passport was removed.')
  for (const done of ['constructor', '__proto__', 'x'])
    expect((await site.look(`/me?done=${done}`)).text).not.toContain('class="notice" role="status"')
})

const CHANGES = [
  { action: 'hide' },
  { action: 'request', text: 'x' },
  { action: 'remove', confirmation: 'remove' },
  { action: 'leave' },
]

test('no form of another site, without the token of the session, or with that of another person changes anything', async () => {
  await using site = await servePage()
  const { cookie, csrf } = await site.signIn()
  const other = await site.signIn(MALLORY)
  const origin = site.url.origin
  const attempts: [headers: Record<string, string>, token: string, status: number][] = [
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, csrf, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, csrf, 403],
    [{ 'Sec-Fetch-Site': 'none' }, csrf, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: origin }, csrf, 403],
    [{ Origin: 'https://evil.example' }, csrf, 403],
    [{ Origin: 'null' }, csrf, 403],
    [{}, csrf, 403],
    [SAME, '', 403],
    [SAME, other.csrf, 403],
    [SAME, csrf.slice(1), 403],
    [{ ...SAME, Cookie: '' }, csrf, 403],
    [{ ...SAME, Cookie: other.cookie }, csrf, 403],
    [{ ...SAME, Cookie: `${cookie}x` }, csrf, 403],
  ]
  for (const [headers, token, status] of attempts)
    for (const fields of CHANGES) {
      const reply = await site.post({ ...fields, csrf: token }, { Cookie: cookie, ...headers })
      expect([headers, token, reply.status]).toEqual([headers, token, status])
      expect(reply.headers.get('Cache-Control')).toBe('no-store')
    }
  // A GET with the same fields shows the page and changes nothing.
  for (const fields of CHANGES) {
    const query = new URLSearchParams({ ...fields, csrf })
    expect((await site.look(`/me?${query}`, { headers: { ...SAME, Cookie: cookie } })).status).toBe(200)
  }
  site.clock.time += 3_600_000
  const expired = await site.post({ action: 'hide', csrf }, { ...SAME, Cookie: cookie })
  expect([expired.status, expired.text]).toEqual([401, expect.stringContaining('Your session has ended')])
  expect(await site.store.data(SUBJECTS).find(ZOE.address)).toMatchObject({ id: 70, hidden: false })
  expect(await site.store.data(REQUESTS).list()).toEqual([])
  expect(site.errors).toEqual([])
})

test('a cross-site form cannot sign a browser in', async () => {
  await using site = await servePage()
  const proof = await site.prove(MALLORY)
  const reply = await site.post(proof, { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' })
  expect([reply.status, reply.headers.get('Set-Cookie')]).toEqual([403, null])
})

test.each([
  [{ action: 'challenge', wallet: 'zoe.eth' }, 400, 'This is not the address of an Ethereum wallet: 0x'],
  [
    { action: 'session', wallet: ZOE.address, nonce: 'x', signature: '0x12' },
    400,
    'This is not a signature.',
  ],
  [
    { action: 'session', wallet: ZOE.address, nonce: 'x', signature: ZOE.sign('x') },
    403,
    'request a new challenge',
  ],
  [{ action: 'hide' }, 403, 'reload the page'],
  [{}, 403, 'reload the page'],
])('the form %j is refused on the page', async (fields, status, words) => {
  await using site = await servePage()
  const reply = await site.post(fields as Record<string, string>)
  expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(words)])
  expect(reply.text).toContain('<h1>Is this you?</h1>')
  if ('wallet' in fields) expect(reply.text).toContain(`name="wallet" value="${fields.wallet}" required`)
})

test('every page links /me, and pages of passports and About say what it is for', async () => {
  await using site = await servePage()
  for (const path of ['/', '/about', '/passports/70']) {
    const { text } = await site.look(path)
    expect(text.match(/ href="\/me[?"]/g)?.length).toBeGreaterThanOrEqual(path === '/' ? 1 : 2)
  }
})
