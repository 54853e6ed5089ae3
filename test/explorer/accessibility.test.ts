import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addAxe, findViolations, LAYOUT_RULES } from '../support/explorer/axe.ts'
import { inBrowser } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../support/explorer/sample-passport.ts'
import { openTestStore } from '../support/store/engines.ts'
import { record } from '../support/store/records.ts'

/** Pages that together have each kind of markup. */
const PATHS = [
  ...[
    '/',
    '/?q=a&tag=builder&human=true&sort=skills',
    '/?q=nobody',
    '/credentials/e',
    '/?q=human+builders+github+over+5',
    '/tags-and-places',
    '/credentials',
    '/compare?ids=1,12',
    '/about',
  ],
  ...['/passports/12', '/passports/12/score', '/passports/nobody', '/deprecation', '/reference/v3'],
]

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
    for (const target of [...PATHS.map((path) => server.url.origin + path), bare.url.href]) {
      // Without transitions, the colours are final at once.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(target)
      if (target.endsWith('/reference/v3')) await sendRequests(page)
      await addAxe(page)
      const light = await findViolations(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 1440, height: 900 })
      const dark = await findViolations(page, LAYOUT_RULES)
      if (light.length + dark.length > 0) results.push({ target, light, dark })
    }
    expect(results).toEqual([])
  })
})

/** Shows a response, a request that needs a key, a refused key and a refused value. */
async function sendRequests(page: Page): Promise<void> {
  const send = (call: string) =>
    page.locator(`#${call}`).getByRole('button', { name: 'Send request' }).click()
  await send('getPassportV3')
  await page.locator('#getPassportV3 [data-ok]').waitFor()
  await send('lookUp')
  await page.locator('#lookUp').getByText('This call needs a key.').waitFor()
  await page.fill('#api-key', 'ppd_unknown')
  await send('lookUp')
  await page.locator('#lookUp [data-ok]').waitFor()
  await page.fill('#getDiff-key', ' ')
  await send('getDiff')
}
