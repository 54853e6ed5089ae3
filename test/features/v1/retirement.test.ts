import { describe, expect, test } from 'bun:test'
import { retiredBy } from '../../support/features/retire.ts'
import { EXEMPT, pathsOf, SUNSET, serveAt, testRetirement } from '../../support/frozen/retirement.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const HOUR = 3_600_000
const BROWNOUT = { start: NOON, end: NOON + 2 * HOUR }
const OWN = ['/health', '/ready', '/openapi.json', '/reference', '/deprecation', '/']

describe('a retirement plan', () => {
  testRetirement({
    version: 'v1',
    golden: '',
    brownout: BROWNOUT,
    sunsetAt: SUNSET,
    successor: 'https://example.com/v2',
  })

  test('a brownout begins and ends at the exact millisecond', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT] })
    const statuses: number[] = []
    for (const now of [NOON - 1, NOON, NOON + HOUR, BROWNOUT.end - 1, BROWNOUT.end]) {
      server.at.now = now
      statuses.push((await server.get('/api/v1/passports')).status)
    }
    expect(statuses).toEqual([200, 410, 410, 410, 200])
  })

  test('during a brownout, exempt keys still work, wrong keys still get 401, and unknown paths still get 404', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT], exempt: [EXEMPT] })
    const exempt = await makeKey(server.store, 1)
    const other = await makeKey(server.store, 2)
    const ask = async (path: string, init = {}) => (await server.get(path, init)).status
    expect(await ask('/api/v1/passports', exempt.init)).toBe(200)
    expect(await ask('/api/v1/passports', other.init)).toBe(410)
    expect(await ask('/api/v1/passports', { headers: { 'X-API-KEY': 'wrong' } })).toBe(401)
    expect(await ask('/api/v1/nothing')).toBe(404)
    expect(await ask('/api/v1/passports', { method: 'POST' })).toBe(405)
  })

  test('the retirement of V1 changes neither preflights nor paths outside V1', async () => {
    await using server = await serveAt({ sunsetAt: SUNSET, brownouts: [BROWNOUT] })
    for (const now of [NOON, SUNSET]) {
      server.at.now = now
      for (const path of pathsOf('v1'))
        expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
      for (const path of OWN) expect([path, (await server.get(path)).status]).toEqual([path, 200])
      expect((await server.get('/nowhere')).status).toBe(404)
    }
  })
})

test('if a response header contains a line break, an error is logged, and the client gets 500 in JSON', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const plan = { brownouts: [], exempt: [], successor: 'https://example.com\r\nSet-Cookie: a' }
  await using server = serveTest(
    store,
    retiredBy(() => plan),
  )
  const response = await fetch(`${server.url}api/v1/passports/7`)
  expect(response.status).toBe(500)
  expect(response.headers.has('Set-Cookie')).toBe(false)
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(await response.json()).toMatchObject({ code: 'internal' })
  expect(server.errors.length).toBeGreaterThan(0)
})
