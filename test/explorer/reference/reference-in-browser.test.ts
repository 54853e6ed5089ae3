import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { named } from '../../support/store/records.ts'

const HOSTILE = '<img src=x onerror="window.pwned=1">'
const openPeople = () => openTestStore('sqlite', [...inventPeople().slice(0, 50), named(7000, HOSTILE, 1e6)])

/** All tests use this page one after another, without reloading it. */
inBrowser('the reference page of V1 in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)
  const hosts = new Set<string>()
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    page = await browser.newPage()
    complaints = watchConsole(page)
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.goto(`${server.url}reference`)
  })

  test('all three endpoints can be tried, and nothing is fetched from other hosts', async () => {
    await page.fill('#listPassports-keyword', 'ma')
    await page.fill('#listPassports-per_page', '2')
    const list = await send(page, 'listPassports')
    expect(list.outcome).toStartWith('200 in ')
    expect(list.body.passports).toHaveLength(2)
    expect(await page.locator('#listPassports [data-url]').first().textContent()).toBe(
      `${server.url}api/v1/passports?keyword=ma&per_page=2`,
    )

    const one = await send(page, 'getPassport')
    expect(one.body.passport).toMatchObject({ passport_id: 42 })
    const headers = page.locator('#getPassport [data-headers]')
    await headers.getByText('Response headers').click()
    for (const name of ['deprecation', 'etag', 'ratelimit', 'x-request-id'])
      expect(await headers.locator(`dt:text-is("${name}") + dd`).textContent()).not.toBe('')

    const credentials = await send(page, 'listCredentials')
    expect(credentials.body.passport_credentials.length).toBeGreaterThan(7)
    expect([...hosts]).toEqual([server.url.host])
    expect(complaints.filter((text) => !text.startsWith('[DOM] Password field'))).toEqual([])
  })

  test('a JSON response is shown as coloured, collapsible text, and a passport in it links to its page', async () => {
    await page.fill('#getPassport-id', '7000')
    const { body } = await send(page, 'getPassport')
    expect(body.passport.passport_profile.display_name).toBe(HOSTILE)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)

    await page.fill('#listPassports-keyword', '')
    const { body: list } = await send(page, 'listPassports')
    const json = page.locator('#listPassports [data-body]')
    expect(await json.textContent()).toBe(`${JSON.stringify(list, null, 2)}\n`)
    expect(await json.locator('.json-string, .json-number, .json-word').count()).toBeGreaterThan(20)
    const items = json.locator('details details details')
    expect(await json.getByText('"passport_profile"').nth(1).isVisible()).toBe(false)
    await items.locator('> summary').nth(0).click()
    expect(await json.getByText('"passport_profile"').nth(0).isVisible()).toBe(false)

    const link = page.locator('#getPassport').getByRole('link', { name: 'Open the page of passport 7000' })
    expect(await link.getAttribute('href')).toBe('/passports/7000')
  })

  test('an id that is blank or ".." is refused with a sentence, and no request is sent', async () => {
    const sent: string[] = []
    page.on('request', (request) => request.url().includes('/api/') && sent.push(request.url()))
    expect(await refuse(page, 'getPassport', 'id', '   ')).toBe('id is blank. Enter a value.')
    expect(await refuse(page, 'getPassport', 'id', '..')).toBe('id is “..”, which cannot be sent in a path.')
    expect(sent).toEqual([])
    await page.fill('#getPassport-id', '42')
    expect((await send(page, 'getPassport')).outcome).toStartWith('200 in ')
    expect(await page.locator('#getPassport [data-problem]').textContent()).toBe('')
    expect(await page.locator('#getPassport-id').getAttribute('aria-invalid')).toBeNull()
  })

  test('the key is hidden until the button shows it, and a key with invalid characters is refused', async () => {
    const key = page.getByLabel('API key')
    expect(await key.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show key' }).click()
    expect(await key.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide key' }).click()
    expect(await key.getAttribute('type')).toBe('password')
    await key.fill('ppd_ключ')
    await page.locator('#getPassport').getByRole('button', { name: 'Send request' }).click()
    expect(await page.locator('#getPassport [data-problem]').textContent()).toBe(
      'The key contains “к”. A key has only letters, digits and underscores: copy it again.',
    )
    expect(await key.evaluate((input) => input === document.activeElement)).toBe(true)
    await key.fill('')
  })

  test('a failed request and a response that is not JSON are shown', async () => {
    await page.route('**/api/**', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }))
    const section = page.locator('#getPassport')
    const button = section.getByRole('button', { name: 'Send request' })
    await button.click()
    await section.locator('[data-ok=false]').waitFor()
    expect(await section.locator('[data-body]').textContent()).toBe('<h1>Bad gateway</h1>')
    expect(await section.locator('[data-summary]').textContent()).toStartWith('502 in ')
    await page.unroute('**/api/**')
    await page.route('**/api/**', (route) => route.abort())
    await button.click()
    await section.getByText('No response: ').waitFor()
    expect(await section.locator('[data-body]').textContent()).toBe('')
  })
})

inBrowser('keys and v3 on the reference page in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)

  test('the v3 lookup can be tried with a request body, and a body that is not JSON is refused', async () => {
    await using store = await openPeople()
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3`)
    await page.fill('#api-key', ` ${key} `)
    await page.fill('#lookUp-body', `{ "keys": ["42", "it's"], "select": ["passport_id"] }`)
    expect((await send(page, 'lookUp')).body).toEqual({
      items: [
        { key: '42', passport: { passport_id: 42 } },
        { key: "it's", error: 'not_found' },
      ],
      found: 1,
    })
    expect(await refuse(page, 'lookUp', 'body', '{ "keys": [')).toStartWith('The body is not JSON: ')
  })

  test('a 401 response is shown with a link to the key field', async () => {
    await using store = await openPeople()
    await using server = serveTest(store, { requireKey: true })
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    await page.goto(`${server.url}reference`)
    expect((await send(page, 'getPassport')).outcome).toStartWith('401 in ')
    await page.getByRole('link', { name: 'Enter a key above' }).click()
    await page.keyboard.type('wrong')
    expect((await send(page, 'getPassport')).outcome).toStartWith('401 in ')
    await page.getByRole('link', { name: 'Check the key above' }).click()
    await page.fill('#api-key', key)
    expect((await send(page, 'getPassport')).outcome).toStartWith('200 in ')
    expect(await page.locator('#getPassport [data-hint]').isVisible()).toBe(false)
  })

  test('the URL contains the form values and the snippet language, but not the key', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3`)
    await page.fill('#api-key', 'secret')
    await page.fill('#listPassportsV3-filter', 'human:true,score:>50')
    await page.selectOption('#listPassportsV3-sort', '-skills_score')
    await page.locator('#listPassportsV3').getByText('Python').click()
    const url = new URL(page.url())
    expect(url.hash).toBe('#listPassportsV3')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      filter: 'human:true,score:>50',
      sort: '-skills_score',
      language: 'Python',
    })

    const other = await browser.newPage()
    await other.goto(url.href)
    expect(await other.inputValue('#listPassportsV3-filter')).toBe('human:true,score:>50')
    expect(await other.inputValue('#listPassportsV3-sort')).toBe('-skills_score')
    expect(await other.locator('#getDiff pre[aria-label=Python]').isVisible()).toBe(true)
    expect(await other.locator('#getDiff pre[aria-label=curl]').isVisible()).toBe(false)
    expect(await other.locator('#listPassportsV3 pre[aria-label=Python]').textContent()).toContain(
      'sort=-skills_score',
    )
    await other.getByRole('navigation', { name: 'Contents' }).getByText('Explain why').click()
    await other.waitForURL((shown) => shown.search === '?language=Python' && shown.hash === '#getDiff')
  })
})

/** Sends the form of an endpoint and returns what the page shows. */
async function send(page: Page, call: string) {
  const section = page.locator(`#${call}`)
  await section.getByRole('button', { name: 'Send request' }).click()
  await section.locator('[data-ok]').waitFor()
  return {
    outcome: (await section.locator('[data-summary]').textContent()) ?? '',
    body: JSON.parse((await section.locator('[data-body]').textContent()) ?? ''),
  }
}

/** Sends a form with an invalid value and returns the sentence beside its button. */
async function refuse(page: Page, call: string, field: string, value: string): Promise<string> {
  await page.fill(`#${call}-${field}`, value)
  const section = page.locator(`#${call}`)
  await section.getByRole('button', { name: 'Send request' }).click()
  const input = page.locator(`#${call}-${field}`)
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
  return (await section.locator('[data-problem]').textContent()) ?? ''
}
