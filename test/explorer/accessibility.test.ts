import { expect, test } from 'bun:test'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { COLOUR_RULES, findViolations } from '../support/explorer/axe.ts'
import { inBrowser } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { openTestStore } from '../support/store/engines.ts'
import { record } from '../support/store/records.ts'

inBrowser('accessibility', (browser) => {
  test('axe finds no violation on any page, in the light and the dark theme, on desktops and phones', async () => {
    const people = [...inventPeople().slice(0, 30), record(5000, { stale: true })]
    await using store = await openTestStore('sqlite', people)
    await using empty = await openTestStore('sqlite')
    await using server = serveExplorer(store)
    await using bare = serveExplorer(empty)
    const targets = [
      ...['/?page=2', '/?q=a', '/?q=nobody+at+all', '/?page=999', '/?page=x', '/passports/1'],
      ...['/passports/5000', '/passports/1/score', '/passports/nobody', '/reference', '/deprecation'],
      ...['/reference/v3', '/', '/?tag=zk&human=true&sort=skills', '/?q=1&place=Lisbon', '/credentials'],
      ...['/credentials/github', '/compare', '/compare?ids=1,2,3', '/compare?ids=1,a'],
    ].map((path) => server.url.origin + path)
    const queue = [...targets, `${bare.url.origin}/`]
    const results: object[] = []
    async function run(): Promise<void> {
      // Without motion, colours change at once.
      const page = await browser.newPage({ reducedMotion: 'reduce', viewport: DESKTOP })
      for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.goto(target)
        const light = await findViolations(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await findViolations(page, COLOUR_RULES)
        await page.setViewportSize(PHONE)
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true
        })
        const phone = await findViolations(page)
        await page.setViewportSize(DESKTOP)
        if (light.length + dark.length + phone.length > 0) results.push({ target, light, dark, phone })
      }
      await page.close()
    }
    await Promise.all([run(), run(), run()])
    expect(results).toEqual([])
  }, 300_000)
})

const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
