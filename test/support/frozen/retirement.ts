import { expect, test } from 'bun:test'
import { datePlan, NO_PLAN, type RetirementPlan, retiredBy } from '../features/retire.ts'
import { expectGolden } from '../http/golden.ts'
import { formatKey, KEY_RANDOM_BYTES, makeKey } from '../http/keys.ts'
import { serveRecords } from '../http/server.ts'
import { NOON } from '../store/records.ts'

const HOUR = 3_600_000
const DEPRECATED_AT = Date.UTC(2025, 2, 31)
export const SUNSET = NOON + 24 * HOUR
/** The id of the first test key. */
export const EXEMPT = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(1)).id
const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

export const pathsOf = (version: string) =>
  ['passports', 'passports/7', 'passport_credentials?passport_id=7'].map((path) => `/api/${version}/${path}`)

export async function serveAt(plan: Partial<RetirementPlan>, { requireKey = false } = {}) {
  const at = { now: NOON }
  const whole = { ...NO_PLAN, ...plan }
  const server = await serveRecords({
    ...retiredBy(
      () => whole,
      () => at.now,
    ),
    requireKey,
  })
  return { ...server, at, plan: datePlan(whole, DEPRECATED_AT) }
}

type Options = {
  version: 'v1' | 'v2'
  /** The prefix of its golden files. */
  golden: string
  brownout: { start: number; end: number }
  sunsetAt: number
  successor: string
}

/** Tests of the 410 of a frozen version. */
export function testRetirement({ version, golden, brownout, sunsetAt, successor }: Options): void {
  test(`requests to ${version} get 410 with Retry-After and no-store during a brownout`, async () => {
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
  })

  test(`after the sunset every path of ${version} responds 410 to every client`, async () => {
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
  })
}
