import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addAxe, findViolations, LAYOUT_RULES } from '../../support/explorer/axe.ts'
import { inBrowser } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { listPageKinds } from '../../support/explorer/page-kinds.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../support/explorer/sample-passport.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

const PHONE = { width: 360, height: 800 }
const DESKTOP = { width: 1440, height: 900 }

inBrowser('accessibility', (browser) => {
  test('axe finds no violation on any kind of page, in both themes, on a phone and on a desktop', async () => {
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
      await page.setViewportSize(PHONE)
      await page.goto(target)
      if (target.includes('/reference/v3/')) await sendRequests(page)
      await addAxe(page)
      const violations = await findViolations(page)
      for (const [size, colorScheme] of [
        [PHONE, 'dark'],
        [DESKTOP, 'dark'],
        [DESKTOP, 'light'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(size)
        violations.push(...(await findViolations(page, LAYOUT_RULES)))
      }
      if (violations.length > 0) results.push({ target, violations })
    }
    expect(results).toEqual([])
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
