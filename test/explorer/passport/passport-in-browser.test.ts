import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../support/explorer/browser.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../support/explorer/sample-passport.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, credential, NOON, record } from '../../support/store/records.ts'

const TOO_WIDE = `[...document.querySelectorAll('main, main *')]
  .filter((part) => part.checkVisibility() && !part.closest('svg *, .watermark, thead') && part.getBoundingClientRect().right > innerWidth)
  .map((part) => part.outerHTML.slice(0, 100))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['scrolls'] : [])`

inBrowser('the passport page in a browser', (browser) => {
  async function visit(url: string, page: Page) {
    const complaints = watchConsole(page)
    // Badges have their own tests.
    await page.route('**/badge/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    )
    await page.goto(url)
    return complaints
  }

  test('copies, sorts by keyboard and click, and causes no console message', async () => {
    await using server = await servePeople([mira, ...OTHERS])
    const page = await browser.newPage()
    const complaints = await visit(`${server.url}passports/${ADA_WALLET}`, page)
    await page.getByRole('button', { name: 'Copy wallet' }).first().click()
    await page.getByRole('status').getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ADA_WALLET)
    await page.getByText('For developers').click()
    await page.getByRole('button', { name: 'Copy command' }).click()
    await page.waitForFunction("navigator.clipboard.readText().then((text) => text.startsWith('curl'))")

    const names = () => page.locator('[data-sortable] .identity th[scope=row] bdi').allTextContents()
    const sort = (name: string) => page.locator('[data-sortable] thead').getByRole('button', { name })
    const sorted = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort')
    expect(await names()).toEqual(['Beta', 'Alpha'])
    expect(await sorted('Points')).toBe('descending')
    await sort('Credential').focus()
    await page.keyboard.press('Enter')
    expect(await names()).toEqual(['Alpha', 'Beta'])
    expect([await sorted('Credential'), await sorted('Points')]).toEqual(['ascending', null])
    await sort('Earned').click()
    expect(await names()).toEqual(['Alpha', 'Beta'])
    await sort('Earned').click()
    expect(await names()).toEqual(['Beta', 'Alpha'])
    await sort('Points').click()
    await sort('Points').click()
    expect(await names()).toEqual(['Alpha', 'Beta'])
    expect(await sorted('Points')).toBe('ascending')
    expect(complaints).toEqual([])
  })

  test('a finished recalculation updates the page and is announced', async () => {
    await using store = await openTestStore('sqlite', [mira])
    await addDataPoint(store, 900)
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    const complaints = await visit(`${server.url}passports/12`, page)
    await page.getByText('It updates automatically.').waitFor()
    await page.getByText('How every point is calculated').click()
    await page.locator('#lines').waitFor()
    await page.evaluate('window.isSame = true')
    expect(await page.locator('#score .large').textContent()).toBe('1,042.5')
    await rescore(store)
    await page.getByRole('status').getByText('New score: 1,057.5.').waitFor()
    expect(await page.locator('#score .large').textContent()).toBe('1,057.5')
    expect(await page.locator('#recalculating').count()).toBe(0)
    expect(await page.title()).toBe('Mira Kettlewood: 1,057.5 · passportd')
    expect(await page.evaluate('window.isSame')).toBe(true)
    // Open details, the focus and the buttons are restored.
    expect(await page.locator('#how').getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('how')
    expect(await page.getByRole('button', { name: 'Copy wallet' }).count()).toBe(2)
    expect(complaints).toEqual([])
  })

  test('fits narrow and wide screens, with and without a script, in both themes', async () => {
    const long = 'x'.repeat(300)
    const wide = record(13, {
      ...mira,
      id: 13,
      stale: true,
      mainWallet: long.slice(0, 120),
      verifiedWallets: [],
      profile: { displayName: long, bio: long, location: long, tags: [long] },
      socials: mira.socials.map((social) => ({ ...social, name: long, source: long, followers: long })),
      credentials: [credential('w', { name: long, value: long, category: long, earnedAt: NOON })],
    })
    await using server = await servePeople([mira, wide])
    for (const hasScripts of [true, false]) {
      const page = await (hasScripts ? browser.newPage() : browser.newPageWithoutScripts())
      const complaints = await visit(`${server.url}passports/13`, page)
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
      for (const width of [320, 700, 1280]) {
        await page.setViewportSize({ width, height: 640 })
        expect([width, await page.evaluate(TOO_WIDE)]).toEqual([width, []])
      }
      expect(await page.getByRole('button').count()).toBe(hasScripts ? 8 : 0)
      expect(await page.locator('noscript').isVisible()).toBe(!hasScripts)
      const ground = () => page.evaluate("getComputedStyle(document.querySelector('#parts')).backgroundColor")
      if (hasScripts) {
        const light = await ground()
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await ground()).not.toBe(light)
      }
      expect(complaints).toEqual([])
    }
  })
})
