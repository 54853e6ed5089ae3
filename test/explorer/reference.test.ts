import { expect, test } from 'bun:test'
import { createOpenApi } from '../../src/api/openapi.ts'
import type { Context } from '../../src/api/request.ts'
import { datePlan, NO_PLAN } from '../../src/domain/retirement.ts'
import { createReferenceRoutes } from '../../src/explorer/reference-routes.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { inBrowser, watchConsole } from '../support/explorer/browser.ts'
import { serveTest, shareServer } from '../support/http/server.ts'
import { onEveryEngine, openTestStore } from '../support/store/engines.ts'
import { NOON } from '../support/store/records.ts'

onEveryEngine('the reference page', (open) => {
  const server = shareServer(() => open(), serveTest)

  test('is one page, one stylesheet and one script, all our own, under a strict policy', async () => {
    const { text, headers } = await server.get('/reference')
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('Content-Security-Policy')
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect([...text.matchAll(/(?:src|href)="(?!data:)([^"#]+)"/g)].map((match) => match[1])).toEqual([
      '/style.css',
      '/reference.js',
      '/',
      '/reference',
      '/deprecation',
      '/openapi.json',
      '/deprecation',
      '/health',
      '/ready',
      '/openapi.json',
      '/reference',
      '/deprecation',
      '/',
      '/openapi.json',
      '/reference',
    ])
    expect(text).not.toMatch(/<script>|<style|style=|onclick|`/)
    expect((await server.get('/')).text).toBe(text)
  })

  test('shows the deprecation date of V1 and links to the deprecation page', async () => {
    const { text } = await server.get('/reference')
    expect(text).toContain('id="deprecation"')
    expect(text).toContain('2025-03-31')
    expect(text).toContain('No removal date is set.')
    expect(text).toContain('<a href="/deprecation">')
  })

  test('shows the removal of V1 from its instant', async () => {
    await using store = await open()
    let now = NOON
    await using server = serveTest(store, {
      now: () => now,
      plan: () => ({ ...NO_PLAN, sunsetAt: NOON + 1 }),
    })
    expect((await server.get('/reference')).text).toContain('<h2>V1 is deprecated</h2>')
    now = NOON + 1
    const { text } = await server.get('/reference')
    expect(text).toContain('<h2>V1 was removed</h2>')
    expect(text).toContain('Since 2026-01-02 12:00 UTC every request below gets status 410.')
  })

  test('shows every field of every response', async () => {
    const { text } = await server.get('/reference')
    const { components } = (await server.get('/openapi.json')).body
    for (const name of [
      'ListedPassport',
      'Passport',
      'PassportProfile',
      'PassportSocial',
      'Credential',
      'Pagination',
    ]) {
      for (const field of Object.keys(components.schemas[name].properties)) {
        expect(text).toContain(`<code>${field}</code>`)
      }
    }
  })
})

inBrowser('the reference page in a browser', (browser) => {
  test('all three endpoints can be tried, and nothing is fetched from other hosts', async () => {
    await using store = await openTestStore('sqlite', inventPeople())
    await using server = serveTest(store)
    const page = await browser.newPage()
    const hosts = new Set<string>()
    const complaints = watchConsole(page)
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.goto(`${server.url}reference`)

    const send = async (call: string) => {
      const form = page.locator(`#${call} form`)
      await form.getByRole('button', { name: 'Send' }).click()
      await form.locator('[data-result][data-ok]').waitFor()
      return {
        summary: (await form.locator('[data-summary]').textContent()) ?? '',
        body: JSON.parse((await form.locator('[data-body]').textContent()) ?? ''),
        curl: await form.locator('[data-curl]').textContent(),
      }
    }

    await page.fill('#listPassports-keyword', 'ada')
    await page.fill('#listPassports-per_page', '2')
    const list = await send('listPassports')
    expect(list.summary).toStartWith('200 in ')
    expect(list.body.passports).toHaveLength(2)
    expect(list.curl).toBe(`curl '${server.url}api/v1/passports?keyword=ada&per_page=2'`)

    const one = await send('getPassport')
    expect(one.body.passport).toMatchObject({ passport_id: 42, calculating_score: true })

    const credentials = await send('listCredentials')
    expect(credentials.body.passport_credentials.length).toBeGreaterThan(7)

    expect([...hosts]).toEqual([server.url.host])
    expect(complaints).toEqual([])

    await page.fill('#api-key', 'wrong')
    const refused = await send('getPassport')
    expect(refused.summary).toStartWith('401 in ')
    expect(refused.curl).toBe(`curl -H "X-API-KEY: $KEY" '${server.url}api/v1/passports/42'`)
    await page.close()
  }, 120_000)

  test('fits a screen of 320 px without horizontal scrolling', async () => {
    await using store = await openTestStore('sqlite')
    await using server = serveTest(store)
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(`${server.url}reference`)
    for (const summary of await page.locator('summary').all()) await summary.click()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(320)
    await page.close()
  }, 120_000)
})

test('the reference page is rendered again only when the plan changes', async () => {
  const openApi = createOpenApi('0.0.0')
  let rendered = 0
  const document = {
    ...openApi,
    get paths() {
      rendered++
      return openApi.paths
    },
  }
  let plan = datePlan(NO_PLAN, NOON)
  const routes = createReferenceRoutes(document, { plan: () => plan, now: () => NOON, explorer: true })
  const context = { headers: new Headers() } as Context
  const get = async () => {
    const request = Object.assign(new Request('http://x/reference'), { params: {} })
    const response = await routes.find(({ path }) => path === '/reference')?.handle?.(request, context)
    return response?.text()
  }
  const first = await get()
  expect(await get()).toBe(first)
  expect(rendered).toBe(1)
  plan = { ...plan, sunsetAt: NOON + 1000 }
  expect(await get()).not.toBe(first)
  expect(rendered).toBe(2)
})
