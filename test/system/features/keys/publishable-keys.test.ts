import { expect, test } from 'bun:test'
import { inBrowser, serveBlankPage } from '../../../support/explorer/browser.ts'
import { pathsOfFrozen } from '../../../support/frozen/frozen-versions.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { createRequestCounter } from '../../../support/http/rate-limits.ts'
import { serveRecords } from '../../../support/http/server.ts'
import { limited } from '../../../support/http/servers.ts'
import { NOON } from '../../../support/store/records.ts'

const ORIGIN = 'https://a.example'
const PASSPORT = '/api/v3/passports/7'

test.each([
  ['no Origin header', {}, 'but this request has no Origin header'],
  ['the origin of a subdomain', { Origin: 'https://www.a.example' }, 'not of "https://www.a.example"'],
  ['an origin with another scheme', { Origin: 'http://a.example' }, 'not of "http://a.example"'],
  ['an origin with another port', { Origin: 'https://a.example:8443' }, 'not of "https://a.example:8443"'],
  ['the origin of a sandboxed page', { Origin: 'null' }, 'not of "null"'],
])('a publishable key that is sent with %s gets 403', async (_, headers, reason) => {
  await using server = await serveRecords()
  const { id, key } = await makeKey(server.store, 1, { origins: [ORIGIN], scopes: ['read'] })
  const { status, body } = await server.get(PASSPORT, { headers: { 'X-API-KEY': key, ...headers } })
  expect([status, body]).toMatchObject([
    403,
    {
      code: 'forbidden',
      detail: `A publishable key is valid only on pages of its origins, ${reason}: the operator can change them with "passportd keys set ${id} --origin".`,
    },
  ])
})

test('a publishable key works on all versions with one of its origins, and cannot follow events', async () => {
  await using server = await serveRecords()
  const { key } = await makeKey(server.store, 1, { origins: ['https://b.example', ORIGIN], scopes: ['read'] })
  const headers = { 'X-API-KEY': key, Origin: ORIGIN }
  for (const path of [...pathsOfFrozen(7), PASSPORT])
    expect((await server.get(path, { headers })).status).toBe(200)
  const { status, body } = await server.get('/api/v3/events', { headers })
  expect([status, body.detail]).toEqual([
    403,
    'This request needs a key with the scope events, and a publishable key has only the scope read.',
  ])
})

test('each visitor of a page with a publishable key has its own rate limit', async () => {
  await using server = await limited('standard=2/10s')
  const { key } = await makeKey(server.store, 1, { origins: [ORIGIN], scopes: ['read'] })
  const ask = async (address: string, origin = ORIGIN) => {
    const headers = { 'X-Forwarded-For': address, 'X-API-KEY': key, Origin: origin }
    return (await server.get(PASSPORT, { headers })).status
  }
  const first = [await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]
  expect(first).toEqual([200, 200, 429])
  // A refused request counts, too.
  const second = [await ask('192.0.2.2', 'https://b.example'), await ask('192.0.2.2'), await ask('192.0.2.2')]
  expect(second).toEqual([403, 200, 429])
})

test('a secret key that a page of another service sends is noted once, and keeps working', async () => {
  const counter = createRequestCounter(() => NOON)
  await using server = await serveRecords({ counter })
  const ask = async (key: string, origin?: string) => {
    const headers = { 'X-API-KEY': key, ...(origin && { Origin: origin }) }
    return (await server.get(PASSPORT, { headers })).status
  }
  const [page, own, none, publishable, known] = await Promise.all([
    makeKey(server.store, 1),
    makeKey(server.store, 2),
    makeKey(server.store, 3),
    makeKey(server.store, 4, { origins: [ORIGIN] }),
    makeKey(server.store, 5, { isSeenInBrowser: true }),
  ])
  const statuses = [
    await ask(page.key, ORIGIN),
    await ask(page.key, ORIGIN),
    await ask(own.key, server.url.origin),
    await ask(none.key),
    await ask(publishable.key, ORIGIN),
    await ask(known.key, ORIGIN),
  ]
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200])
  expect([...counter.take().inBrowser]).toEqual([page.id])
  expect([...counter.take().inBrowser]).toEqual([])
})

inBrowser('publishable keys in a browser', (browser) => {
  test('a page of an allowed origin reads passports with a publishable key, and a page of another origin reads the reason of the 403', async () => {
    using allowed = serveBlankPage()
    using other = serveBlankPage()
    await using server = await serveRecords({ requireKey: true })
    const { key } = await makeKey(server.store, 1, { origins: [allowed.url.origin], scopes: ['read'] })
    const page = await browser.newPage()
    const ask = (url: string) =>
      page.evaluate(
        async ([url, key]) => {
          const response = await fetch(url, { headers: { 'X-API-KEY': key } })
          const { passport_id, detail } = await response.json()
          return { status: response.status, said: passport_id ?? detail }
        },
        [url, key] as const,
      )
    const outcomes = []
    for (const site of [allowed, other]) {
      await page.goto(site.url.href)
      outcomes.push(await ask(server.url.origin + PASSPORT))
    }
    expect(outcomes).toEqual([
      { status: 200, said: 7 },
      { status: 403, said: expect.stringContaining(`not of "${other.url.origin}"`) },
    ])
  })
})
