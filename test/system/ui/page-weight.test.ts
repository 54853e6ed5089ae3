import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { listPageKinds } from '../../support/explorer/page-kinds.ts'
import { pointOf, rescore } from '../../support/explorer/sample-passport.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { hand } from '../../support/store/scoring.ts'

inBrowser('page weight', (browser) => {
  test('a first visit to any kind of page transfers at most 45 KB with headers and 7 KB of scripts without them, a later one at most 15 KB, and nothing moves', async () => {
    await using store = await openTestStore('sqlite', inventPeople().slice(0, 60))
    for (let points = 1; points <= 10; points++) {
      await hand(store, { id: 42 }, pointOf('github', '', 4 * points ** 2, ''))
      await rescore(store)
    }
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    // Then the first paint has the whole page. Otherwise, parts may move because more of the page arrives.
    await page.route('**/style*', async (route) => {
      await page.locator('footer select').waitFor({ state: 'attached' })
      await route.continue()
    })
    const heavy: object[] = []
    for (const path of listPageKinds(42, 'github_developer')) {
      const { first, later, scripts, fonts } = await weigh(page, server.url.origin + path)
      const shift = await page.evaluate(readShift)
      expect([path, first > 20_000, fonts]).toEqual([path, true, 1])
      if (first > 45_000 || later > 15_000 || scripts > 7_000 || shift > 0)
        heavy.push({ path, first, later, scripts, shift })
    }
    expect(heavy).toEqual([])
  })
})

/** Opens a page without the cache. Counts compressed bytes, those of scripts without headers. */
async function weigh(page: Page, url: string) {
  const weight = { first: 0, later: 0, scripts: 0, fonts: 0 }
  const responses = new Map<string, { type: string; isImmutable: boolean; headers: number }>()
  const devTools = await page.context().newCDPSession(page)
  devTools.on('Network.responseReceived', ({ requestId, type, response }) => {
    const isImmutable = /immutable/.test(response.headers['Cache-Control'] ?? '')
    responses.set(requestId, { type, isImmutable, headers: response.encodedDataLength })
  })
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const { type, isImmutable, headers = 0 } = responses.get(requestId) ?? {}
    weight.first += encodedDataLength
    if (!isImmutable) weight.later += encodedDataLength
    if (type === 'Script') weight.scripts += encodedDataLength - headers
    if (type === 'Font') weight.fonts++
  })
  await devTools.send('Network.enable')
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(url)
  await devTools.detach()
  return weight
}

/** Runs in the page. Returns the sum of all layout shifts until two frames from now. */
async function readShift(): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const observer = new PerformanceObserver(() => undefined)
  observer.observe({ type: 'layout-shift', buffered: true })
  const shifts = observer.takeRecords() as (PerformanceEntry & { value: number })[]
  return shifts.reduce((sum, { value }) => sum + value, 0)
}
