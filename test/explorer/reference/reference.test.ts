import { expect, test } from 'bun:test'
import { createOpenApi } from '../../../src/api/openapi.ts'
import type { Context } from '../../../src/api/request.ts'
import { datePlan, NO_PLAN } from '../../../src/domain/retirement.ts'
import { LATIN_FONT_PATH } from '../../../src/explorer/design/fonts.ts'
import { createReferenceRoutes } from '../../../src/explorer/reference/reference-routes.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { inventPeople } from '../../../src/ingest/demo/people.ts'
import { inBrowser, watchConsole } from '../../support/explorer/browser.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

onEveryEngine('the reference page', (open) => {
  const server = shareServer(() => open(), serveTest)

  test('is one page, one stylesheet and one script, all our own, under a strict policy', async () => {
    const { site } = createSite()
    const { text, headers } = await server.get('/reference')
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('Content-Security-Policy')
    expect(policy).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'",
    )
    expect(policy).not.toContain('unsafe')
    expect([...text.matchAll(/(?:src|href)="(?!data:)([^"#]+)"/g)].map((match) => match[1])).toEqual([
      '/icon.svg',
      LATIN_FONT_PATH,
      site.urlOf('style.css'),
      site.urlOf('reference.js'),
      '/',
      '/reference',
      '/deprecation',
      '/reference',
      '/reference/v2',
      '/reference/v3',
      '/openapi.json',
      '/deprecation',
      '/health',
      '/ready',
      '/openapi.json',
      '/reference',
      '/reference/v3',
      '/deprecation',
      '/',
      '/reference/v2',
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

  const V1_SCHEMAS = ['ListedPassport', 'PassportProfile', 'PassportSocial', 'Credential', 'Pagination']
  const V3_SCHEMAS = [
    ...['Passport', 'Profile', 'Social', 'Credential', 'Standing', 'Explanation', 'ExplanationLine'],
    ...['LookupRequest', 'LookupBody', 'ListBody', 'Group', 'RuleSet', 'Diff', 'EventPage', 'Event'],
  ]
  test.each([
    ['/reference', ['Passport', ...V1_SCHEMAS]],
    ['/reference/v2', ['PassportV2', ...V1_SCHEMAS]],
    ['/reference/v3', V3_SCHEMAS.map((name) => `V3${name}`)],
  ])('%s shows every field of every response', async (path, names) => {
    const { text } = await server.get(path)
    const { components } = (await server.get('/openapi.json')).body
    for (const name of names) {
      const fields = Object.keys(components.schemas[name].properties)
      expect(fields).not.toBeEmpty()
      for (const field of fields) expect(text).toContain(`<code>${field}</code>`)
    }
  })

  test('types name alternatives, constants and lists', async () => {
    const { text } = await server.get('/reference/v3')
    for (const type of [
      '<code>bio</code> <span class="soft">string or null',
      '<code>error</code> <span class="soft">&quot;not_found&quot; or &quot;malformed&quot; or &quot;ambiguous&quot;',
      '<code>include</code> <span class="soft">list of &quot;credentials&quot; or &quot;standing&quot; or &quot;explanation&quot;<',
      '<code>keys</code> <span class="soft">list of strings<',
      '<code>items</code> <span class="soft">list of objects<',
    ]) {
      expect(text).toContain(type)
    }
    expect(text).toContain(
      'name="as_of" data-in="query" autocomplete="off" spellcheck="false" placeholder="2026-10-01" value=""',
    )
    expect(text).not.toContain('name="Last-Event-ID"')
    expect(text).not.toMatch(/<dl class="fields"><\/dl>|undefined/)
  })

  test('each version has a page with its own endpoints, and the switch marks it', async () => {
    const { paths } = (await server.get('/openapi.json')).body
    for (const [path, version] of [
      ['/reference', 'V1'],
      ['/reference/v2', 'V2'],
      ['/reference/v3', 'v3'],
    ]) {
      const { text } = await server.get(path as string)
      expect(text).toContain(`<h1>The ${version} passport API</h1>`)
      expect(text).toContain(`<a href="${path}" aria-current="page">${version}</a>`)
      const shown = [...text.matchAll(/<form data-path="([^"]+)"/g)].map((match) => match[1])
      expect(shown).toEqual(
        Object.keys(paths).filter((each) => each.startsWith(`/api/${version?.toLowerCase()}/`)),
      )
      expect(text.includes('id="deprecation"')).toBe(version !== 'v3')
    }
    expect((await server.get('/reference/v4')).status).toBe(404)
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

  test('a lookup of v3 can be tried with a key, and the switch works without JavaScript', async () => {
    await using store = await openTestStore('sqlite', inventPeople())
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(`${server.url}reference/v3`)
    await page.fill('#api-key', key)
    await page.fill('#lookUp-body', `{ "keys": ["42", "it's"], "select": ["passport_id"] }`)
    const form = page.locator('#lookUp form')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.locator('[data-result][data-ok=true]').waitFor()
    expect(JSON.parse((await form.locator('[data-body]').textContent()) ?? '')).toEqual({
      items: [
        { key: '42', passport: { passport_id: 42 } },
        { key: "it's", error: 'not_found' },
      ],
      found: 1,
    })
    expect(await form.locator('[data-curl]').textContent()).toBe(
      `curl -H "X-API-KEY: $KEY" -X POST -H 'Content-Type: application/json' -d '{ "keys": ["42", "it'\\''s"], "select": ["passport_id"] }' '${server.url}api/v3/lookup'`,
    )
    expect(complaints).toEqual([])
    await page.close()

    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(`${server.url}reference`)
    await plain.getByRole('navigation', { name: 'Version of the API' }).getByText('v3').click()
    await plain.waitForURL('**/reference/v3')
    expect(await plain.locator('h1').textContent()).toBe('The v3 passport API')
    expect(await plain.locator('#getRules').isVisible()).toBe(true)
    await context.close()
  }, 120_000)

  test('fits a screen of 320 px without horizontal scrolling', async () => {
    await using store = await openTestStore('sqlite')
    await using server = serveTest(store)
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    for (const path of ['reference', 'reference/v2', 'reference/v3']) {
      await page.goto(server.url + path)
      for (const summary of await page.locator('summary').all()) await summary.click()
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width).toBeLessThanOrEqual(320)
    }
    await page.close()
  }, 120_000)
})

test('the reference page is rendered again only when the plan changes', async () => {
  const openApi = createOpenApi('0.0.0')
  const { site } = createSite()
  let rendered = 0
  const document = {
    ...openApi,
    get paths() {
      rendered++
      return openApi.paths
    },
  }
  let plan = datePlan(NO_PLAN, NOON)
  const routes = createReferenceRoutes(document, {
    site,
    plan: () => plan,
    now: () => NOON,
    explorer: true,
  })
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
