import { expect, test } from 'bun:test'
import { inBrowser, tabTo } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'

inBrowser('access to the reference page', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', inventPeople().slice(0, 50)), serveExplorer)

  test('a request can be composed, sent and copied with the keyboard only', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}reference`)
    const press = (key: string) => page.keyboard.press(key)
    const copied = () => page.evaluate(() => navigator.clipboard.readText())

    await tabTo(page, 'Get a passport by id, wallet or handle')
    await press('Enter')
    await page.waitForURL('**/reference/v3/getPassportV3')
    await tabTo(page, 'getPassportV3-key')
    await page.keyboard.type('7')
    await press('Enter')
    const section = page.locator('#getPassportV3')
    await section.locator('[data-ok=true]').waitFor()
    await tabTo(page, 'curl')
    await press('ArrowRight')
    expect(await section.locator('pre[aria-label=JavaScript]').isVisible()).toBe(true)
    await tabTo(page, 'Copy')
    await press('Enter')
    await section.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await copied()).toContain(`fetch('${server.url}api/v3/passports/7?`)
    await tabTo(page, 'Copy')
    await press('Enter')
    await section.getByRole('button', { name: 'Copied' }).nth(1).waitFor()
    expect(JSON.parse(await copied()).passport_id).toBe(7)
    await tabTo(page, '"passport_profile": {')
    const folded = section.locator('[data-body] details:not([open])')
    const before = await folded.count()
    await press('Enter')
    expect(await folded.count()).toBe(before + 1)
  })

  test('without JavaScript, the reference can be read, and the snippet language and API version can be chosen', async () => {
    const page = await browser.newPageWithoutScripts()
    await page.goto(`${server.url}reference#getPassportV3`)
    expect(await page.getByLabel('Find a call').isVisible()).toBe(false)
    await page.locator('#getPassportV3 a').click()
    await page.waitForURL('**/reference/v3/getPassportV3')
    expect(await page.locator('noscript p').isVisible()).toBe(true)
    const call = page.locator('#getPassportV3')
    expect(await call.locator('pre[aria-label=Python]').isVisible()).toBe(false)
    await call.getByText('Python').click()
    expect(await call.locator('pre[aria-label=Python]').isVisible()).toBe(true)
    expect(await call.locator('pre[aria-label=curl]').isVisible()).toBe(false)
    expect(await call.getByText('"display_name"').isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: /Copy|key/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'V3 API reference' }).click()
    await page.getByRole('navigation', { name: 'Version of the API' }).getByText('All versions').click()
    await page.waitForURL('**/reference')
    expect(await page.locator('h1').textContent()).toBe('API reference')
    expect(await page.locator('#getRules').isVisible()).toBe(true)
  })

  test('the reference fits a screen of 320 px without horizontal scrolling', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 320, height: 640 })
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > 320)
    for (const call of ['v1/listPassports', 'v3/listPassportsV3']) {
      await page.goto(`${server.url}reference/${call}`)
      await page.getByRole('button', { name: 'Send request' }).click()
      await page.locator('[data-ok=true]').waitFor()
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true
      })
      expect([call, await isWide()]).toEqual([call, false])
    }
    for (const path of ['reference', 'reference/v1', 'reference/v3', 'deprecation']) {
      await page.goto(server.url + path)
      expect([path, await isWide()]).toEqual([path, false])
    }
  })
})
