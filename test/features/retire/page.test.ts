import { describe, expect, test } from 'bun:test'
import { renderDeprecation } from '../../../src/features/retire/page.ts'
import type { RetirementPlan } from '../../../src/features/retire/plan.ts'
import { createSite } from '../../support/explorer/site.ts'
import { serveTest } from '../../support/http/server.ts'
import { NO_PLAN } from '../../support/program/retirement.ts'
import { onEngine } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

const HOUR = 3_600_000
const DEPRECATED_AT = Date.UTC(2025, 2, 31)
const PLAN: RetirementPlan = {
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

onEngine('sqlite', 'the deprecation page', (open) => {
  test('the deprecation page shows the current retirement plan and has no inline script', async () => {
    await using store = await open()
    let plan = NO_PLAN
    await using server = serveTest(store, { plan: () => plan })
    const before = await server.get('/deprecation')
    expect(read(before.text)).toContain('Removalno date is set')
    plan = PLAN
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
})

describe('the text of the deprecation page', () => {
  test('names the current phase in its heading', () => {
    const headline = (plan: Partial<RetirementPlan>, now = NOON) =>
      read(/<h1>.*<\/h1>/.exec(render(plan, now))?.[0] ?? '')
    expect(headline({})).toBe('The V1 passport API is deprecated')
    expect(headline({ deprecatedAt: NOON + 1 })).toBe('The V1 passport API will be deprecated')
    expect(headline(PLAN)).toBe('The V1 passport API is switched off until 2026-01-02 13:00 UTC')
    expect(headline(PLAN, NOON + HOUR)).toBe('The V1 passport API ends on 2026-06-30 00:00 UTC')
    expect(headline(PLAN, PLAN.sunsetAt)).toBe('The V1 passport API was removed')
  })

  test('lists the v3 requests that replace those of V1, unless the plan has another successor', () => {
    expect(render({})).toContain('<code>/api/v3/passports/42?select=credentials</code>')
    expect(render(PLAN)).not.toContain('/api/v3')
  })

  test('lists past, current and future brownouts, and the successor', () => {
    const markup = render(PLAN)
    const rows = [...markup.matchAll(/<td>([^<]+)<\/td>\n<\/tr>/g)].map(([, state]) => state)
    expect(rows).toEqual(['past', 'now', 'to come'])
    expect(markup).toContain('<a href="https://api.example.com/v2" rel="noreferrer">')
    for (const id of ['plan', 'brownouts', 'advice', 'exemption']) expect(markup).toContain(`id="${id}"`)
    expect(markup).not.toContain('0123456789')
    expect(render(PLAN, PLAN.sunsetAt)).not.toContain('id="exemption"')
  })

  test('escapes the text of a plan, and has no unsafe links', () => {
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
})
