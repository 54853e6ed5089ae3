import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Store } from '../../src/core/store/store.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { ServiceError } from '../support/program/errors.ts'
import { openTestStore, type TestStore } from '../support/store/engines.ts'
import { PEOPLE } from '../support/store/records.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore('sqlite', PEOPLE)
})
afterAll(() => store[Symbol.asyncDispose]())

const find = async (store: Store, target: string, options: Parameters<typeof serveExplorer>[1] = {}) => {
  await using server = serveExplorer(store, options)
  const { status, headers, text } = await server.look(target)
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  if (status !== 200) expect(headers.get('Cache-Control')).toBe('no-store')
  return { status, headers, text: text.slice(text.indexOf('<main')) }
}

test('404 offers the search and a link to all passports', async () => {
  const { status, text } = await find(store, '/passports/4711')
  expect(status).toBe(404)
  expect(text).toContain('<h1>Passport not found</h1>')
  expect(text).toContain('It may have been removed')
  expect(text).toContain('<form class="search" action="/"')
  expect(text).toContain('<a href="/">All passports by score</a>')
})

test.each(['/passports', '/passports/', '/passports/7/8', '/badge/7/8', '/card/'])(
  'an unknown path of the explorer gets an HTML 404: %s',
  async (target) => {
    const { status, text } = await find(store, target)
    expect(status).toBe(404)
    expect(text).toContain('<h1>Page not found</h1>')
    expect(text).not.toContain('removed')
    expect(text).toContain('<form class="search" action="/"')
  },
)

test.each([
  ['/?page=abc', 'page must be a whole number from 1, got &quot;abc&quot;.'],
  ['/?page=0', 'page must be a whole number from 1, got &quot;0&quot;.'],
  [`/?q=${'x'.repeat(201)}`, 'at most 200 characters, got 201.'],
])('400 names the accepted values: %s', async (target, sentence) => {
  const { status, text } = await find(store, target)
  expect(status).toBe(400)
  expect(text).toContain(sentence)
})

test('414 is an HTML page with the maximum length', async () => {
  for (const target of [`/?q=${'x'.repeat(9000)}`, `/passports/${'x'.repeat(9000)}`]) {
    const { status, text } = await find(store, target)
    expect(status).toBe(414)
    expect(text).toContain('at most 8192 characters')
  }
})

test('a page request that gets a 304 counts toward the rate limit', async () => {
  await using server = serveExplorer(store, { tiers: 'explorer=5/10s' })
  const etag = (await server.look('/passports/7')).headers.get('ETag') ?? ''
  const again = (path: string, condition: string) =>
    server.look(path, { headers: { 'If-None-Match': condition } })
  expect((await again('/passports/7', etag)).status).toBe(304)
  expect((await again('/passports/7', '*')).status).toBe(304)
  expect((await again('/passports/7', etag)).status).toBe(429)
  expect((await again('/card/7.svg', '*')).status).toBe(304)
})

test('a search, filter, credential or comparison counts as several requests toward the rate limit, and a cached page as one', async () => {
  await using server = serveExplorer(store, { tiers: 'explorer=300/10s, pictures=3000/10s' })
  let remaining = 300
  async function unitsOf(path: string): Promise<number> {
    const { headers } = await server.look(path)
    const left = Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1])
    const units = remaining - left
    remaining = left
    return units
  }
  expect(await unitsOf('/')).toBe(1)
  expect(await unitsOf('/passports/7')).toBe(3)
  expect(await unitsOf('/passports/7')).toBe(1)
  expect(await unitsOf('/?q=ada')).toBe(3)
  expect(await unitsOf('/?filter=human:true')).toBe(3)
  expect(await unitsOf('/?filter=human:true')).toBe(1)
  expect(await unitsOf('/?q=ada&filter=human:true')).toBe(5)
  expect(await unitsOf('/compare?ids=7,8,9')).toBe(3)
  expect(await unitsOf('/compare?ids=7,8')).toBe(2)
  expect(await unitsOf('/credentials/unknown')).toBe(5)
  // Pictures have a limit of their own.
  remaining = 3000
  expect(await unitsOf('/card/7.svg')).toBe(3)
  expect(await unitsOf('/badge/7.svg?show=top')).toBe(3)
  expect(await unitsOf('/badge/7.svg')).toBe(1)
})

test('429 shows the time to retry', async () => {
  await using server = serveExplorer(store, { tiers: 'explorer=1/10s' })
  await server.look('/')
  const { status, headers, text } = await server.look('/')
  expect([status, headers.get('Content-Type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(text).toContain(`try again in ${headers.get('Retry-After')} s.`)
})

test.each([
  [500, new Error('secret of ours'), 'Internal error'],
  [503, new ServiceError('unavailable', 'secret of ours'), 'Temporarily unavailable'],
])('%d hides the cause and shows the request id', async (expected, error, title) => {
  const passports = { ...store.passports, listByIds: () => Promise.reject(error) }
  const { status, headers, text } = await find({ ...store, passports }, '/')
  expect(status).toBe(expected)
  expect(text).toContain(title)
  expect(text).toContain(`<code>${headers.get('X-Request-Id')}</code>`)
  expect(text).not.toContain('secret')
})
