import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'

inBrowser('the reference pages of V1 in a browser', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', inventPeople().slice(0, 50)), serveExplorer)
  const open = (page: Page, call: string) => page.goto(`${server.url}reference/v1/${call}`)

  test('all three calls can be tried, and nothing is fetched from other hosts', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await open(page, 'listPassports')
    await page.fill('#listPassports-keyword', 'ma')
    await page.fill('#listPassports-per_page', '2')
    const list = await send(page)
    expect(list.outcome).toStartWith('200 in ')
    expect(list.body.passports).toHaveLength(2)
    expect(await page.locator('[data-url]').first().textContent()).toBe(
      `${server.url}api/v1/passports?keyword=ma&per_page=2`,
    )

    await open(page, 'getPassport')
    const one = await send(page)
    expect(one.body.passport).toMatchObject({ passport_id: 42 })
    const headers = page.locator('[data-headers]')
    await headers.getByText('Response headers').click()
    for (const name of ['deprecation', 'etag', 'ratelimit', 'x-request-id'])
      expect(await headers.locator(`dt:text-is("${name}") + dd`).textContent()).not.toBe('')

    await open(page, 'listCredentials')
    const credentials = await send(page)
    expect(credentials.body.passport_credentials.length).toBeGreaterThan(7)
    expect([...hosts]).toEqual([server.url.host])
    expect(complaints.filter((text) => !text.startsWith('[DOM] Password field'))).toEqual([])
  })

  test('old addresses lead to the page of the call', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference?id=7#getPassport`)
    await page.waitForURL('**/reference/v1/getPassport?id=7')
    await page.locator('#others').getByRole('link', { name: 'List passports by score' }).click()
    await page.waitForURL('**/reference/v1/listPassports')
    expect(await page.locator('h1').textContent()).toBe('List passports by score')
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
