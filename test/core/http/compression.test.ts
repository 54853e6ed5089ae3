import { expect, test } from 'bun:test'
import { etagOf } from '../../../src/core/basics/hash.ts'
import { createByteBudget } from '../../../src/core/http/byte-budget.ts'
import { acceptsGzip, createPage, sendPage } from '../../../src/core/http/rendered-page.ts'
import type { Context } from '../../../src/core/http/route.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { pathsOfFrozen } from '../../support/frozen/frozen-versions.ts'
import { shareServer } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { named, record } from '../../support/store/records.ts'

const PEOPLE = Array.from({ length: 30 }, (_, id) => named(id, `Person ${id}`, 100 - id))

test.each([
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['gzip, deflate, br, zstd', true],
  ['zstd, gzip;q=0.9', true],
  ['zstd;q=0.5, br', false],
  ['gzip;q=0', false],
  ['*', true],
  ['gzip;q=0, *', false],
  ['*;q=0', false],
  ['*;q=0, gzip', true],
  ['identity', false],
  ['identity, gzip;q=0.5', false],
  ['identity;q=0.5, gzip', true],
  ['br, deflate', false],
  ['gzip;q=nonsense', false],
  [';;,,=', false],
  // Only the first 1,000 characters of the header are read.
  [`gzip,${'x,'.repeat(8000)}`, true],
  [`${'x,'.repeat(500)}gzip`, false],
])('whether Accept-Encoding "%s" allows gzip is %p', (accepted, isAllowed) => {
  expect(acceptsGzip(new Request('http://x/', { headers: { 'Accept-Encoding': accepted } }))).toBe(isAllowed)
})

const decompress = (bytes: Uint8Array<ArrayBuffer>) => Buffer.from(Bun.gunzipSync(bytes)).toString()

test('a large body is compressed by another thread', async () => {
  const body = 'abc'.repeat(100_000)
  const page = createPage(body, {})
  const request = new Request('http://x/', { headers: { 'Accept-Encoding': 'gzip' } })
  const context = { headers: new Headers(), budget: createByteBudget() } as Context
  let isSent = false
  const sending = [1, 2].map(async () => {
    const response = await sendPage(request, context, page)
    isSent = true
    return response
  })
  // If this thread had compressed the body, the response would be ready after these microtasks.
  for (let count = 0; count < 100; count++) await undefined
  expect(isSent).toBe(false)
  for (const response of await Promise.all(sending)) expect(decompress(await response.bytes())).toBe(body)
})

onEngine('sqlite', 'compression', (open) => {
  const server = shareServer(() => open(PEOPLE), serveExplorer)

  test('lists, pages and files are sent as gzip with the ETag of the uncompressed body', async () => {
    const ask = (path: string, accepted: string, more = {}) =>
      fetch(server.url.origin + path, {
        headers: { 'Accept-Encoding': accepted, ...more },
        decompress: false,
      })
    const list = '/api/v3/passports'
    for (const path of [
      list,
      `${list}?q=person`,
      '/',
      '/passports/7',
      '/assets/style.css',
      '/openapi.json',
      '/reference',
    ]) {
      const plain = await ask(path, 'identity')
      const body = await plain.text()
      const etag = plain.headers.get('ETag') ?? ''
      expect([
        path,
        plain.headers.get('Content-Encoding'),
        plain.headers.get('Vary')?.split(', ')[0],
      ]).toEqual([path, null, 'Accept-Encoding'])
      const packed = await ask(path, 'gzip')
      const bytes = await packed.bytes()
      expect([packed.headers.get('Content-Encoding'), packed.headers.get('ETag')]).toEqual(['gzip', etag])
      expect(packed.headers.get('Content-Type')).toBe(plain.headers.get('Content-Type') ?? '')
      expect(decompress(bytes)).toBe(body)
      expect(bytes.length).toBeLessThan(body.length / 2)
      const again = await ask(path, 'gzip', { 'If-None-Match': etag })
      expect([again.status, again.headers.get('ETag')]).toEqual([304, etag])
      expect(again.headers.has('Content-Encoding')).toBe(false)
    }
  })

  test('single passports, credentials, health, errors and bodies below a kibibyte are never compressed', async () => {
    for (const [path, vary] of [
      ['/api/v3/passports/7', 'Accept'],
      ['/api/v3/nothing', null],
      ['/health', null],
      ...pathsOfFrozen(7).map((path) => [path, null] as const),
    ] as const) {
      const { headers } = await fetch(server.url.origin + path, { decompress: false })
      expect([path, headers.has('Content-Encoding'), headers.get('Vary')]).toEqual([path, false, vary])
    }
    const short = await server.get('/api/v3/passports?q=nobody', {
      headers: { 'Accept-Encoding': 'gzip' },
    })
    expect(short.headers.get('Content-Encoding')).toBeNull()
  })

  test('a list of many large passports has the same decoded body and ETag in every encoding', async () => {
    const bio = 'Zoë 中 '.repeat(1200)
    const people = Array.from({ length: 120 }, (_, id) =>
      record(id, { profile: { displayName: `Person ${id}`, bio }, scores: { total: 1000 - id } }),
    )
    await using server = await servePeople(people)
    for (const query of ['?limit=250', '?limit=250&q=person']) {
      const url = `${server.url.origin}/api/v3/passports${query}`
      const replies = await Promise.all(
        ['identity', 'gzip', 'zstd', 'gzip', 'identity'].map((encoding) =>
          fetch(url, { headers: { 'Accept-Encoding': encoding } }),
        ),
      )
      for (const reply of replies) {
        const text = await reply.text()
        expect(reply.headers.get('ETag')).toBe(etagOf(text))
        const { items, total, next } = JSON.parse(text)
        expect([total, next]).toEqual([120, null])
        expect(items.map(({ passport_id }: { passport_id: number }) => passport_id)).toEqual(
          people.map(({ id }) => id),
        )
        expect(items[119].passport_profile.bio).toBe(bio)
      }
    }
  })
})
