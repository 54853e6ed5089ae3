import { expect, test } from 'bun:test'
import { inBrowser } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { mira, OTHERS } from '../../support/explorer/sample-passport.ts'
import { PALETTE } from '../../support/explorer/site.ts'
import { openTestStore } from '../../support/store/engines.ts'

inBrowser('themes', (browser) => {
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
      ['/reference/v3', 'main .segments'],
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
