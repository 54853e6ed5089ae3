import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { serveTest, shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'
import { named } from '../../../support/store/records.ts'

const HOSTILE = '<img src=x onerror="window.pwned=1">'
const openPeople = () => openTestStore('sqlite', [...inventPeople().slice(0, 50), named(7000, HOSTILE, 1e6)])

inBrowser('the reference pages in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)
  const open = (page: Page, call: string) => page.goto(`${server.url}reference/v3/${call}`)

  test('calls can be tried, and nothing is fetched from other hosts', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await open(page, 'listPassportsV3')
    await page.fill('#listPassportsV3-q', 'ma')
    await page.fill('#listPassportsV3-limit', '2')
    const list = await send(page)
    expect(list.outcome).toStartWith('200 in ')
    expect(list.body.items).toHaveLength(2)
    expect(await page.locator('[data-url]').first().textContent()).toBe(
      `${server.url}api/v3/passports?q=ma&limit=2&select=passport_id,score,human_checkmark,passport_profile`,
    )

    await open(page, 'getPassportV3')
    await page.fill('#getPassportV3-include', 'credentials')
    const one = await send(page)
    expect(one.body).toMatchObject({ passport_id: 42 })
    expect(one.body.credentials.length).toBeGreaterThan(7)
    const headers = page.locator('[data-headers]')
    await headers.getByText('Response headers').click()
    for (const name of ['etag', 'ratelimit', 'x-request-id'])
      expect(await headers.locator(`dt:text-is("${name}") + dd`).textContent()).not.toBe('')
    expect([...hosts]).toEqual([server.url.host])
    expect(complaints.filter((text) => !text.startsWith('[DOM] Password field'))).toEqual([])
  })

  test('a JSON response is shown as coloured, collapsible text, and a passport in it links to its page', async () => {
    const page = await browser.newPage()
    await open(page, 'getPassportV3')
    await page.fill('#getPassportV3-key', '7000')
    const { body } = await send(page)
    expect(body.passport_profile.display_name).toBe(HOSTILE)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    const link = page.getByRole('link', { name: 'Open the page of passport 7000' })
    expect(await link.getAttribute('href')).toBe('/passports/7000')

    await open(page, 'listPassportsV3')
    await page.fill('#listPassportsV3-limit', '')
    const { body: list } = await send(page)
    const json = page.locator('[data-body]')
    expect(await json.textContent()).toBe(`${JSON.stringify(list, null, 2)}\n`)
    expect(await json.locator('.json-string, .json-number, .json-word').count()).toBeGreaterThan(20)
    const items = json.locator('details details details')
    expect(await json.getByText('"passport_profile"').nth(1).isVisible()).toBe(false)
    const fold = items.locator('> summary').nth(0)
    expect((await fold.boundingBox())?.height).toBeGreaterThanOrEqual(24)
    await fold.click()
    expect(await json.getByText('"passport_profile"').nth(0).isVisible()).toBe(false)
  })

  test('a key that is blank or ".." is refused with a sentence, and no request is sent', async () => {
    const page = await browser.newPage()
    await open(page, 'getPassportV3')
    const sent: string[] = []
    page.on('request', (request) => request.url().includes('/api/') && sent.push(request.url()))
    expect(await refuse(page, '#getPassportV3-key', '   ')).toBe('key is blank. Enter a value.')
    expect(await refuse(page, '#getPassportV3-key', '..')).toBe(
      'key is “..”, which cannot be sent in a path.',
    )
    expect(sent).toEqual([])
    await page.fill('#getPassportV3-key', '42')
    expect((await send(page)).outcome).toStartWith('200 in ')
    expect(await page.locator('[data-problem]').textContent()).toBe('')
    expect(await page.locator('#getPassportV3-key').getAttribute('aria-invalid')).toBeNull()
  })

  test('the key is hidden until the button shows it, curl contains it, and a key with invalid characters is refused', async () => {
    const page = await browser.newPage()
    await open(page, 'getPassportV3')
    const key = page.getByLabel('API key')
    const curl = page.locator('pre[aria-label=curl]')
    expect(await key.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show key' }).click()
    expect(await key.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide key' }).click()
    expect(await key.getAttribute('type')).toBe('password')
    expect(await curl.textContent()).not.toContain('-H')
    await key.fill(' ppd_mine ')
    expect(await curl.textContent()).toEndWith('-H "X-API-KEY: ppd_mine"')
    expect(page.url()).not.toContain('ppd_mine')
    expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain('ppd_mine')
    await key.fill('"; id; "')
    expect(await curl.textContent()).toEndWith('-H "X-API-KEY: $KEY"')
    expect(await refuse(page, '#api-key', 'ppd_ключ')).toBe(
      'The key contains “к”, which no key has: copy it again.',
    )
  })

  test('a failed request and a response that is not JSON are shown', async () => {
    const page = await browser.newPage()
    await open(page, 'getPassportV3')
    await page.route('**/api/**', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }))
    const button = page.getByRole('button', { name: 'Send request' })
    await button.click()
    await page.locator('[data-ok=false]').waitFor()
    expect(await page.locator('[data-body]').textContent()).toBe('<h1>Bad gateway</h1>')
    expect(await page.locator('[data-summary]').textContent()).toStartWith('502 in ')
    await page.unroute('**/api/**')
    await page.route('**/api/**', (route) => route.abort())
    await button.click()
    await page.getByText('No response: ').waitFor()
    expect(await page.locator('[data-body]').textContent()).toBe('')
  })
})

inBrowser('keys and v3 on the reference page in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)

  test('the v3 lookup can be tried with a request body, and a body that is not JSON is refused', async () => {
    await using store = await openPeople()
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3/lookUp`)
    expect(await refuse(page, '#api-key', '')).toStartWith('This call needs a key.')
    await page.fill('#api-key', ` ${key} `)
    await page.fill('#lookUp-body', `{ "keys": ["42", "it's"], "select": ["passport_id"] }`)
    expect((await send(page)).body).toEqual({
      items: [
        { key: '42', passport: { passport_id: 42 } },
        { key: "it's", error: 'not_found' },
      ],
      found: 1,
    })
    expect(await refuse(page, '#lookUp-body', '{ "keys": [')).toStartWith('The body is not JSON: ')
  })

  test('a 401 response is shown with a link to the key field', async () => {
    await using store = await openPeople()
    await using server = serveTest(store, { requireKey: true })
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3/getPassportV3`)
    expect((await send(page)).outcome).toStartWith('401 in ')
    await page.getByRole('link', { name: 'Enter a key above' }).click()
    await page.keyboard.type('wrong')
    expect((await send(page)).outcome).toStartWith('401 in ')
    await page.getByRole('link', { name: 'Check the key above' }).click()
    await page.fill('#api-key', key)
    expect((await send(page)).outcome).toStartWith('200 in ')
    expect(await page.locator('[data-hint]').isVisible()).toBe(false)
  })

  test('the URL contains the form values and the snippet language, but not the key; URLs of earlier releases work', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3/listPassportsV3`)
    await page.fill('#api-key', 'secret')
    await page.fill('#listPassportsV3-filter', 'human:true,score:>50')
    await page.fill('#listPassportsV3-sort', '-skills_score')
    await page.getByText('Python').click()
    const url = new URL(page.url())
    expect(Object.fromEntries(url.searchParams)).toEqual({
      filter: 'human:true,score:>50',
      sort: '-skills_score',
      language: 'Python',
    })

    await page.goto(`${server.url}reference/v3${url.search}#listPassportsV3`)
    await page.waitForURL(url.href)
    expect(await page.inputValue('#listPassportsV3-filter')).toBe('human:true,score:>50')
    expect(await page.inputValue('#listPassportsV3-sort')).toBe('-skills_score')
    expect(await page.locator('pre[aria-label=curl]').isVisible()).toBe(false)
    expect(await page.locator('pre[aria-label=Python]').textContent()).toContain('sort=-skills_score')
  })

  test('the overview has a first request to copy with its response, and old addresses lead to the page of the call', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference`)
    expect(await page.locator('.code-header').getByRole('button', { name: 'Copy' }).count()).toBe(2)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.locator('[data-body] .json-number').first().textContent()).toBe('371')
    await page.goto(`${server.url}reference?key=7#getPassportV3`)
    await page.waitForURL('**/reference/v3/getPassportV3?key=7')
    await page
      .locator('#others')
      .getByRole('link', { name: 'List, filter, sort and count passports' })
      .click()
    await page.waitForURL('**/reference/v3/listPassportsV3')
    const nested = page.locator('.fields .fields').first()
    expect(await nested.isVisible()).toBe(false)
    await page.locator('.fields summary').first().click()
    expect(await nested.isVisible()).toBe(true)
  })

  test('the list of calls is searched as you type, by words, paths and parameters', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference/v3`)
    const search = page.getByLabel('Find a call')
    const calls = page.locator('.call-list li:visible')
    const all = await calls.count()
    const find = async (text: string) => {
      await search.fill(text)
      return calls.locator('> a').allTextContents()
    }
    expect(await find('WEBHOOK secret')).toEqual(['Replace the secret and the public key of a webhook'])
    expect(await page.locator('#calls [data-count]').textContent()).toBe(`1 of ${all} calls`)
    expect(await find('as_of')).toEqual(['Get a passport by id, wallet or handle', 'Look up many passports'])
    expect(await find('/rules/')).toEqual(['Get the rule set behind a score'])
    expect(await page.locator('.call-list h3:visible').allTextContents()).toEqual(['Read'])
    expect(await find('nothing like it')).toEqual([])
    expect(await find(' ')).toHaveLength(all)
    expect(await page.locator('#calls [data-count]').textContent()).toBe('')
  })
})

/** Sends the form and returns what the page shows. */
async function send(page: Page) {
  await page.getByRole('button', { name: 'Send request' }).click()
  await page.locator('[data-ok]').waitFor()
  return {
    outcome: (await page.locator('[data-summary]').textContent()) ?? '',
    body: JSON.parse((await page.locator('[data-body]').textContent()) ?? ''),
  }
}

/** Sends the form with an invalid value and returns the sentence beside its button. */
async function refuse(page: Page, field: string, value: string): Promise<string> {
  await page.fill(field, value)
  await page.getByRole('button', { name: 'Send request' }).click()
  const input = page.locator(field)
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
  return (await page.locator('[data-problem]').textContent()) ?? ''
}
