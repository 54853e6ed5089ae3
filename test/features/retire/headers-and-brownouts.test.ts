import { describe, expect, test } from 'bun:test'
import type { RetirementPlan } from '../../../src/features/retire/plan.ts'
import { expectGolden } from '../../support/http/golden.ts'
import { formatKey, KEY_RANDOM_BYTES, makeKey } from '../../support/http/keys.ts'
import { serveRecords } from '../../support/http/server.ts'
import { datePlan, NO_PLAN } from '../../support/program/retirement.ts'
import { NOON } from '../../support/store/records.ts'

const HOUR = 3_600_000
const DEPRECATED_AT = Date.UTC(2025, 2, 31)
const SUNSET = NOON + 24 * HOUR
const BROWNOUT = { start: NOON, end: NOON + 2 * HOUR }
/** The id of the first test key. */
const EXEMPT = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(1)).id
const SUCCESSOR = 'https://example.com/v2'
const VERSIONS = [
  { version: 'v1', golden: '', brownout: BROWNOUT, sunsetAt: SUNSET, successor: SUCCESSOR },
  {
    version: 'v2',
    golden: 'v2-',
    brownout: { start: NOON, end: NOON + HOUR },
    sunsetAt: NOON,
    successor: 'https://example.com/next',
  },
]
const pathsOf = (version: string) =>
  ['passports', 'passports/7', 'passport_credentials?passport_id=7'].map((path) => `/api/${version}/${path}`)
const OWN = ['/health', '/ready', '/openapi.json', '/reference', '/deprecation', '/']
const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

async function serveAt(plan: Partial<RetirementPlan>, { requireKey = false } = {}) {
  const at = { now: NOON }
  const whole = { ...NO_PLAN, ...plan }
  const server = await serveRecords({
    now: () => at.now,
    plan: () => whole,
    deprecatedAt: DEPRECATED_AT,
    requireKey,
  })
  return { ...server, at, plan: datePlan(whole, DEPRECATED_AT) }
}

describe('a retirement plan', () => {
  test('a brownout begins and ends at the exact millisecond', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT] })
    const statuses: number[] = []
    for (const now of [NOON - 1, NOON, NOON + HOUR, BROWNOUT.end - 1, BROWNOUT.end]) {
      server.at.now = now
      statuses.push((await server.get('/api/v1/passports')).status)
    }
    expect(statuses).toEqual([200, 410, 410, 410, 200])
  })

  test.each(VERSIONS)(
    'requests to $version get 410 with Retry-After and no-store during a brownout',
    async ({ version, golden, brownout }) => {
      await using server = await serveAt({ brownouts: [brownout], sunsetAt: SUNSET })
      server.at.now = brownout.end - 1500
      for (const path of pathsOf(version)) {
        const { status, headers, text } = await server.get(path, {
          headers: { ...GOLDEN.headers, 'If-None-Match': '*' },
        })
        expect(status).toBe(410)
        expectGolden(`${golden}error-410-brownout`, text)
        expect(headers.get('Retry-After')).toBe('2')
        expect(headers.get('Cache-Control')).toBe('no-store')
        expect(headers.get('ETag')).toBeNull()
        expect(headers.get('Deprecation')).toBe('@1743379200')
        expect(headers.has('Sunset')).toBe(true)
      }
    },
  )

  test('during a brownout, exempt keys still work, wrong keys still get 401, and unknown paths still get 404', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT], exempt: [EXEMPT] })
    const exempt = await makeKey(server.store, 1)
    const other = await makeKey(server.store, 2)
    const ask = async (path: string, init = {}) => (await server.get(path, init)).status
    expect(await ask('/api/v1/passports', exempt.init)).toBe(200)
    expect(await ask('/api/v2/passports', exempt.init)).toBe(200)
    expect(await ask('/api/v1/passports', other.init)).toBe(410)
    expect(await ask('/api/v1/passports', { headers: { 'X-API-KEY': 'wrong' } })).toBe(401)
    expect(await ask('/api/v1/nothing')).toBe(404)
    expect(await ask('/api/v1/passports', { method: 'POST' })).toBe(405)
  })

  test.each(VERSIONS)(
    'after the sunset every path of $version responds 410 to every client',
    async ({ version, golden, sunsetAt, successor }) => {
      await using server = await serveAt({ sunsetAt, successor, exempt: [EXEMPT] }, { requireKey: true })
      const exempt = await makeKey(server.store, 1)
      server.at.now = sunsetAt - 1
      const list = `/api/${version}/passports`
      const before = await server.get(list, exempt.init)
      expect([before.status, before.headers.get('Sunset')]).toEqual([200, new Date(sunsetAt).toUTCString()])
      expect(before.headers.get('Link')).toBe(
        `</deprecation>; rel="deprecation"; type="text/html", <${successor}>; rel="successor-version", </deprecation>; rel="sunset"; type="text/html"`,
      )
      server.at.now = sunsetAt
      for (const path of [...pathsOf(version), `/api/${version}/nothing`, `/api/${version}`]) {
        const { status, headers, text } = await server.get(path, GOLDEN)
        expect(status).toBe(410)
        expectGolden(`${golden}error-410-removed`, text)
        expect(headers.get('Cache-Control')).toBe('no-store')
        expect(headers.has('Retry-After')).toBe(false)
        expect(headers.has('Deprecation') && headers.has('Sunset') && headers.has('Link')).toBe(true)
      }
      const wrong = { headers: { 'X-API-KEY': 'wrong' } }
      for (const init of [exempt.init, wrong, { method: 'POST' }, { method: 'HEAD' }])
        expect((await server.get(list, init)).status).toBe(410)
    },
  )

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
