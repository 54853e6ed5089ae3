import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { shareServer } from '../support/http/server.ts'
import { openTestStore } from '../support/store/engines.ts'
import { inventPeople } from '../support/store/invented-people.ts'

inBrowser('the ranking in a browser', (browser) => {
  const server = shareServer(
    () => openTestStore('sqlite', inventPeople().slice(0, 60)),
    (store) => serveExplorer(store),
  )

  const countOf = (page: Page) => page.locator('[data-count]').textContent()

  test('searches as you type, announces the count, and updates the URL', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(server.url.href)
    const all = await countOf(page)
    await page.getByRole('searchbox').pressSequentially('ada', { delay: 5 })
    await page.getByText(/for “ada”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=ada`)
    expect(await page.title()).toBe('People matching “ada” · passportd')
    expect(await page.locator('[role=status]').textContent()).toMatch(/^\d+ of 60 passports for “ada”$/)
    for (const row of await page.locator('.ranking .who').allTextContents())
      expect(row.toLowerCase()).toContain('ada')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search')
    await page.getByRole('searchbox').fill('nobody at all')
    await page.getByText('No passport found for “nobody at all”').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByText(all as string).waitFor()
    expect(page.url()).toBe(server.url.href)
    expect(complaints).toEqual([])
  })

  test('a late response does not replace a newer one; a failed search shows the reason, and Enter retries it', async () => {
    const page = await browser.newPage()
    const { promise: late, resolve: letGo } = Promise.withResolvers<void>()
    await page.route('**/?q=a', async (route) => {
      await late
      await route.continue().catch(() => undefined)
    })
    await page.goto(server.url.href)
    const asked = page.waitForRequest('**/?q=a')
    await page.getByRole('searchbox').fill('a')
    await asked
    await page.getByRole('searchbox').fill('ada')
    await page.getByText(/for “ada”/).waitFor()
    letGo()
    await page.unrouteAll({ behavior: 'wait' })
    expect(await countOf(page)).toContain('for “ada”')
    expect(page.url()).toBe(`${server.url}?q=ada`)

    await page.route('**/?q=ma', (route) => route.abort(), { times: 1 })
    await page.getByRole('searchbox').fill('ma')
    await page.getByText('Press Enter to try again').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/for “ma”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=ma`)
  })

  test('the keyboard reaches the skip link, the search and each passport', async () => {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true)
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id)
    const seen: unknown[] = []
    for (let steps = 0; steps < 3; steps++) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    expect(seen).toEqual(['search', 'Search', 'Skip the filters'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe((await page.locator('.ranking .name').first().textContent()) ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/passports/*')
  })
})
