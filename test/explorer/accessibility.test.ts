import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { inBrowser } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { openTestStore } from '../support/store/engines.ts'
import { record } from '../support/store/records.ts'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

inBrowser('no page has a barrier that axe finds', (browser) => {
  test('in the light, nor in the dark', async () => {
    const people = [...inventPeople().slice(0, 30), record(5000, { stale: true })]
    await using store = await openTestStore('sqlite', people)
    await using empty = await openTestStore('sqlite')
    await using server = serveExplorer(store)
    await using bare = serveExplorer(empty)
    const targets = [
      ...['/?page=2', '/?q=a', '/?q=nobody+at+all', '/?page=999', '/?page=x', '/passports/1'],
      ...['/passports/5000', '/passports/1/score', '/passports/nobody', '/reference', '/deprecation'],
    ].map((path) => server.url.origin + path)
    // Colours change at once where motion is not wanted.
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    for (const target of [...targets, `${bare.url.origin}/`]) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(target)
      // By the developer tools: the pages' own policy lets no script in.
      await page.evaluate(AXE)
      const found = await lookForBarriers(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      // Nothing but the colours is another in the dark.
      const dark = await lookForBarriers(page, COLOUR_RULES)
      const { pathname, search } = new URL(target)
      expect({ target: pathname + search, found, dark }).toMatchObject({ found: [], dark: [] })
    }
    await page.close()
  }, 60_000)
})

const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

async function lookForBarriers(page: Page, rules?: string[]): Promise<string[]> {
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(
        only ? { runOnly: only } : {},
      ),
    rules,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
