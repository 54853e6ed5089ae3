import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { PALETTE } from '../../src/explorer/design/tokens.ts'
import { addAxe, findViolations, LAYOUT_RULES } from '../support/explorer/axe.ts'
import { inBrowser } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { listPageKinds } from '../support/explorer/page-kinds.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../support/explorer/sample-passport.ts'
import { openTestStore } from '../support/store/engines.ts'
import { record } from '../support/store/records.ts'

inBrowser('accessibility', (browser) => {
  test('axe finds no violation on any kind of page, on a phone in the light theme and on a desktop in the dark one', async () => {
    const more = Array.from({ length: 20 }, (_, at) => record(at + 5000))
    await using store = await openTestStore('sqlite', [mira, ...OTHERS, ...more])
    await addDataPoint(store, 900)
    await rescore(store)
    // The page then shows that a recalculation is due.
    await addDataPoint(store, 901)
    await using empty = await openTestStore('sqlite')
    await using server = serveExplorer(store)
    await using bare = serveExplorer(empty)
    const page = await browser.newPage()
    const results: object[] = []
    const targets = listPageKinds(12, 'e').map((path) => server.url.origin + path)
    for (const target of [...targets, bare.url.href]) {
      // Without transitions, the colours are final at once.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(target)
      if (target.includes('/reference/v3/')) await sendRequests(page)
      await addAxe(page)
      const light = await findViolations(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 1440, height: 900 })
      const dark = await findViolations(page, LAYOUT_RULES)
      if (light.length + dark.length > 0) results.push({ target, light, dark })
    }
    expect(results).toEqual([])
  })

  test('forced colours mark the current page and the chosen order', async () => {
    await using store = await openTestStore('sqlite', [mira, ...OTHERS])
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    await page.emulateMedia({ forcedColors: 'active' })
    const outlineOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).outlineStyle)
    for (const [path, scope] of [
      ['/?sort=skills', '.segments'],
      ['/credentials', 'header nav'],
      ['/reference/v3', '.versions'],
    ] as const) {
      await page.goto(server.url.origin + path)
      expect([path, await outlineOf(`${scope} [aria-current]`)]).toEqual([path, 'solid'])
      expect([path, await outlineOf(`${scope} a:not([aria-current])`)]).toEqual([path, 'none'])
    }
    await page.goto(`${server.url}reference/v3/getRules`)
    expect(await outlineOf('.code-tabs label:has(:checked)')).toBe('solid')
  })

  test('the theme is that of the system until one is chosen, and the choice applies to the next page at once', async () => {
    await using store = await openTestStore('sqlite', OTHERS)
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    const schemeOf = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const choose = (theme: string) => page.getByLabel('Theme').selectOption(theme)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(server.url.href)
    const light = await schemeOf()
    await choose('Dark')
    const dark = await schemeOf()
    expect(dark).not.toBe(light)
    for (const path of ['credentials', 'passports/nobody', 'deprecation', 'reference/v3']) {
      // The first paint waits for scripts without `async`, `defer` and `type=module` before the stylesheet.
      const { text } = await server.look(`/${path}`)
      expect(text).toMatch(/<script src="\/assets\/theme[^"]+"><\/script>\n<link rel="stylesheet"/)
      await page.goto(server.url + path)
      expect([path, await schemeOf()]).toEqual([path, dark])
      expect(await page.getByLabel('Theme').inputValue()).toBe('dark')
    }
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.emulateMedia({ colorScheme: 'dark' })
    await choose('Light')
    expect(await schemeOf()).toBe(light)
    await choose('System')
    expect(await schemeOf()).toBe(dark)
    await page.reload()
    expect(await schemeOf()).toBe(dark)
  })

  test('without scripts, the theme is that of the system, and there is no menu for it', async () => {
    await using store = await openTestStore('sqlite', OTHERS)
    await using server = serveExplorer(store)
    const page = await browser.newPageWithoutScripts()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(server.url.href)
    const { dark } = PALETTE
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).toBe(
      `rgb(${[1, 3, 5].map((at) => Number.parseInt(dark.ground.slice(at, at + 2), 16)).join(', ')})`,
    )
    expect(await page.getByLabel('Theme').isVisible()).toBe(false)
  })
})

/** Shows a response with a rejected key and, if the call needs a key, that it is missing. */
async function sendRequests(page: Page): Promise<void> {
  const send = page.getByRole('button', { name: 'Send request' })
  if ((await page.locator('[data-needs-key]').count()) > 0) {
    await send.click()
    await page.getByText('This call needs a key.').waitFor()
    await page.fill('#api-key', 'ppd_unknown')
  }
  await send.click()
  await page.locator('[data-ok]').waitFor()
}
