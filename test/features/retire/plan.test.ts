import { expect, test } from 'bun:test'
import { renderDeprecation } from '../../../src/features/retire/page.ts'
import type { RetirementPlan } from '../../../src/features/retire/plan.ts'
import { runHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { createSite } from '../../support/explorer/site.ts'
import { createReference } from '../../support/features/reference.ts'
import { NO_PLAN, PLAN, retiredBy } from '../../support/features/retire.ts'
import { serveTest } from '../../support/http/server.ts'
import { type MakeDatabase, openTestStore, withEveryEngine } from '../../support/store/engines.ts'
import { apiKey, NOON } from '../../support/store/records.ts'

const KEY = apiKey('0123456789', { name: 'Acme' })

/** NOON is 2026-01-02 12:00 UTC. */
async function office(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, { records: [] })
  return {
    ...here,
    retire: (line: string, { now = NOON, env = {} } = {}) =>
      runHere(`retire ${line}`.trim().split(' '), { env: { ...here.env, ...env }, now }),
    async refuses(lines: Record<string, string>) {
      for (const [line, sentence] of Object.entries(lines)) {
        const failure = runHere(`retire ${line}`.split(' '), { env: here.env })
        await expect(failure).rejects.toThrow(sentence)
      }
    },
    plan: () => here.look((store) => store.data(PLAN).find()),
  }
}

withEveryEngine('retire', (makeDatabase) => {
  test('if there is no plan, retire shows the defaults and the current state', async () => {
    await using here = await office(makeDatabase)
    const { out } = await here.retire('')
    expect(out).toBe(`Deprecated  since 2025-03-31 00:00 UTC (DEPRECATED_AT)
Removal     no date is set
Successor   /api/v3
Notice      none
Brownouts   none
Exempt      none

Now         V1 works, with the headers Deprecation and Link.
Next        nothing
`)
    expect((await here.retire('show')).out).toBe(out)
    expect((await here.retire('', { env: { DEPRECATED_AT: '2026-02-01' } })).out).toContain(
      'Deprecated  on 2026-02-01 00:00 UTC, in 29 days (DEPRECATED_AT)',
    )
    const none = await here.retire('', { env: { DEPRECATED_AT: 'none' } })
    expect(none.out).toStartWith('Deprecated  no date is set (DEPRECATED_AT)\n')
    expect(none.out).toContain(
      'Now         V1 works, with the header Link; it is not deprecated.\nNext        nothing\n',
    )
    expect(await here.plan()).toBeUndefined()
  })

  test('retire set changes only the given values, and the word none deletes a value', async () => {
    await using here = await office(makeDatabase)
    const { out, err } = await here.retire('set --sunset 2026-06-30 --successor https://example.com/v2')
    expect(out).toContain('Removal     on 2026-06-30 00:00 UTC, in 178 days\n')
    expect(out).toContain('Next        2026-06-30 00:00 UTC: V1 is removed\n')
    expect(err).toBe('Every node applies this plan within seconds.\n')
    await here.retire('set --deprecated 2025-06-01T10:00:00.900Z --notice https://example.com/news')
    expect(await here.plan()).toEqual({
      ...NO_PLAN,
      deprecatedAt: Date.UTC(2025, 5, 1, 10),
      sunsetAt: Date.UTC(2026, 5, 30),
      successor: 'https://example.com/v2',
      notice: 'https://example.com/news',
    })
    await here.retire('set --deprecated none --sunset none --successor none --notice None')
    expect(await here.plan()).toEqual(NO_PLAN)
  })

  test('a sunset within 7 days needs --yes, and no sunset may precede the deprecation', async () => {
    await using here = await office(makeDatabase)
    await here.refuses({
      'set --sunset 2026-01-09T11:59:59Z': 'less than 7 days away. Add --yes',
      'set --sunset 2026-01-01': 'V1 would be removed at once. Add --yes',
    })
    await here.retire('set --sunset 2026-01-09T12:00Z')
    expect((await here.retire('set --sunset 2026-01-01 --yes')).out).toContain(
      'Now         V1 is removed: every response is 410, for exempt keys too.\nNext        nothing\n',
    )
    await here.refuses({
      'set --sunset 2025-03-30 --yes': 'must not lie before the deprecation',
      'set --deprecated 2026-01-02': 'must not lie before the deprecation',
    })
    expect(await here.plan()).toEqual({ ...NO_PLAN, sunsetAt: Date.UTC(2026, 0, 1) })
    await here.retire('set --deprecated 2026-01-01')
  })

  test('retire sorts brownouts by their start, shows them and removes them', async () => {
    await using here = await office(makeDatabase)
    await here.retire('set --sunset 2026-06-30')
    await here.retire('brownout add 2026-03-01T09:00Z 1d')
    const { out, err } = await here.retire('brownout add 2026-02-01T09:00Z 90m')
    expect(out).toContain(`Brownouts   2026-02-01 09:00 UTC, 1 h 30 min, to come
            2026-03-01 09:00 UTC, 1 d, to come\n`)
    expect(out).toContain('Next        2026-02-01 09:00 UTC: a brownout starts\n')
    expect(err).toContain('within seconds')
    const during = Date.UTC(2026, 1, 1, 9)
    const shown = (await here.retire('', { now: during })).out
    expect(shown).toContain('Next        2026-02-01 10:30 UTC: the brownout ends\n')
    expect(shown).toContain('2026-02-01 09:00 UTC, 1 h 30 min, now\n')
    expect(shown).toContain('Now         Brownout until 2026-02-01 10:30 UTC: responses are 410.\n')
    await here.look((store) => store.keys.create(KEY))
    await here.retire('exempt 0123456789')
    expect((await here.retire('', { now: during })).out).toContain(
      'responses are 410, except for 1 exempt key.\n',
    )
    await here.retire('brownout remove 2026-02-01T09:00Z')
    expect((await here.plan())?.brownouts).toEqual([
      { start: Date.UTC(2026, 2, 1, 9), end: Date.UTC(2026, 2, 2, 9) },
    ])
  })

  test('brownouts must be in the future, must not overlap, and must end before the sunset', async () => {
    await using here = await office(makeDatabase)
    await here.retire('set --sunset 2026-06-30')
    await here.retire('brownout add 2026-02-01T09:00Z 2h')
    const before = await here.plan()
    await here.refuses({
      'brownout add 2026-01-02T12:00Z 2h': 'must start in the future',
      'brownout add 2026-02-01T08:00Z 61m': 'overlap',
      'brownout add 2026-02-01T10:59Z 5m': 'overlap',
      'brownout add 2026-02-01T09:30Z 5m': 'overlap',
      'brownout add 2026-06-29T23:00Z 61m': 'must end before the sunset',
      'brownout remove 2026-02-01T10:00Z': 'No brownout starts at 2026-02-01 10:00 UTC',
      'set --sunset 2026-02-01T10:00Z': 'must end before the sunset',
    })
    expect(await here.plan()).toEqual(before as RetirementPlan)
    await here.retire('brownout add 2026-02-01T11:00Z 1m')
    await here.retire('brownout add 2026-06-29T23:00Z 1h')
  })

  test('a key is exempt until the exemption is undone', async () => {
    await using here = await office(makeDatabase)
    await here.look((store) => store.keys.create(KEY))
    await here.refuses({ 'exempt nope': `There is no key "nope" in ${here.database}` })
    await here.retire('exempt 0123456789')
    const whole = `ppd_0123456789_${'0'.repeat(64)}`
    expect((await here.retire(`exempt ${whole}`)).out).toContain('Exempt      0123456789 (Acme)\n\n')
    expect((await here.plan())?.exempt).toEqual(['0123456789'])
    await here.look((store) => store.keys.revoke('0123456789', NOON))
    expect((await here.retire('')).out).toContain('Exempt      0123456789 (Acme, revoked)\n')
    expect((await here.retire('exempt 0123456789 --undo')).out).toContain('Exempt      none\n')
    await here.refuses({ 'exempt 0123456789 --undo': 'is not exempt: "retire" shows the exempt keys.' })
  })

  test('retire show --json prints the plan, and retire clear deletes it', async () => {
    await using here = await office(makeDatabase)
    await here.retire('set --sunset 2026-06-30')
    await here.retire('brownout add 2026-03-01T09:00Z 1h')
    expect(JSON.parse((await here.retire('show --json')).out)).toEqual({
      phase: 'deprecated',
      next: { at: '2026-03-01T09:00:00.000Z', to: 'brownout' },
      deprecated_at: '2025-03-31T00:00:00.000Z',
      sunset_at: '2026-06-30T00:00:00.000Z',
      successor: null,
      notice: null,
      brownouts: [{ start: '2026-03-01T09:00:00.000Z', end: '2026-03-01T10:00:00.000Z' }],
      exempt: [],
    })
    await here.retire('clear --yes')
    expect(await here.plan()).toEqual(NO_PLAN)
  })
})

const HOUR = 3_600_000
const DEPRECATED_AT = Date.UTC(2025, 2, 31)
const BUSY_PLAN: RetirementPlan = {
  sunsetAt: Date.UTC(2026, 5, 30),
  successor: 'https://api.example.com/v2',
  notice:
    'https://example.com/news/a-very-long-address-of-a-page-that-describes-the-retirement-of-v1-in-detail',
  brownouts: [
    { start: NOON - 5 * HOUR, end: NOON - 4 * HOUR },
    { start: NOON - HOUR, end: NOON + HOUR },
    { start: NOON + 24 * HOUR, end: NOON + 26 * HOUR },
  ],
  exempt: ['0123456789'],
}

const render = (plan: Partial<RetirementPlan>, now = NOON) =>
  renderDeprecation(createSite().site, { ...NO_PLAN, deprecatedAt: DEPRECATED_AT, ...plan }, now)
const read = (markup: string) => markup.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')

test('the deprecation page shows the current retirement plan and has no inline script', async () => {
  await using store = await openTestStore('sqlite')
  let plan = NO_PLAN
  const { notice, routes, ...retired } = retiredBy(() => plan)
  await using server = serveTest(store, {
    ...retired,
    routes: [...routes, ...createReference({ notice })],
  })
  const before = await server.get('/deprecation')
  expect(read(before.text)).toContain('Removalno date is set')
  plan = BUSY_PLAN
  const after = await server.get('/deprecation', {
    headers: { 'If-None-Match': before.headers.get('ETag') ?? '' },
  })
  expect(after.status).toBe(200)
  expect(read(after.text)).toContain('Removalon 2026-06-30 00:00 UTC')
  expect(read((await server.get('/reference')).text)).toContain('The V1 passport API is switched off until')
  expect(after.text).not.toMatch(/<script>|<style|style=|onclick|javascript:/)
  expect(after.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(after.headers.get('Content-Security-Policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
})

test('the deprecation page names the current phase in its heading', () => {
  const headline = (plan: Partial<RetirementPlan>, now = NOON) =>
    read(/<h1>.*<\/h1>/.exec(render(plan, now))?.[0] ?? '')
  expect(headline({})).toBe('The V1 passport API is deprecated')
  expect(headline({ deprecatedAt: NOON + 1 })).toBe('The V1 passport API will be deprecated')
  expect(headline(BUSY_PLAN)).toBe('The V1 passport API is switched off until 2026-01-02 13:00 UTC')
  expect(headline(BUSY_PLAN, NOON + HOUR)).toBe('The V1 passport API ends on 2026-06-30 00:00 UTC')
  expect(headline(BUSY_PLAN, BUSY_PLAN.sunsetAt)).toBe('The V1 passport API was removed')
})

test('the deprecation page lists the v3 requests that replace those of V1, unless the plan has another successor', () => {
  expect(render({})).toContain('<code>/api/v3/passports/42?select=credentials</code>')
  expect(render(BUSY_PLAN)).not.toContain('/api/v3')
})

test('the deprecation page lists past, current and future brownouts, and the successor', () => {
  const markup = render(BUSY_PLAN)
  const rows = [...markup.matchAll(/<td>([^<]+)<\/td>\n<\/tr>/g)].map(([, state]) => state)
  expect(rows).toEqual(['past', 'now', 'to come'])
  expect(markup).toContain('<a href="https://api.example.com/v2" rel="noreferrer">')
  for (const id of ['plan', 'brownouts', 'advice', 'exemption']) expect(markup).toContain(`id="${id}"`)
  expect(markup).not.toContain('0123456789')
  expect(render(BUSY_PLAN, BUSY_PLAN.sunsetAt)).not.toContain('id="exemption"')
})

test('the deprecation page escapes the text of a plan, and has no unsafe links', () => {
  for (const hostile of [
    '"><script>alert(1)</script>',
    'javascript:alert(1)',
    'https://a/"onmouseover="alert(1)',
    "https://a/'><img src=x>",
    'data:text/html,<script>',
  ]) {
    const markup = render({ successor: hostile, notice: hostile })
    expect(markup).not.toMatch(/<script(?! (type="module" )?src="\/assets\/)|<img|"onmouse/)
    const links = [...markup.matchAll(/href="(?!data:)([^"]+)"/g)].map((match) => match[1] as string)
    expect(links).not.toBeEmpty()
    expect(links.filter((url) => !/^[#/](?!\/)/.test(url))).toEqual([])
  }
})
