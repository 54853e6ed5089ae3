import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { openTestStore } from '../support/engines.ts'
import { serveExplorer } from '../support/explorer.ts'
import { record } from '../support/records.ts'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

describe.if(hasBrowser)('no page has a barrier that axe finds', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  test.each(['light', 'dark'] as const)(
    '%s',
    async (colorScheme) => {
      const people = [...inventPeople().slice(0, 60), record(5000, { stale: true })]
      await using store = await openTestStore('sqlite', people)
      await using empty = await openTestStore('sqlite')
      await using server = serveExplorer(store)
      await using bare = serveExplorer(empty)
      const targets = [
        ...[
          '/',
          '/?page=2',
          '/?q=a',
          '/?q=nobody+at+all',
          '/?page=999',
          '/?page=x',
          '/passports/1',
          '/passports/2',
        ],
        ...['/passports/5000', '/passports/1/score', '/passports/nobody', '/reference', '/deprecation'],
      ].map((path) => server.url.origin + path)
      const page = await browser.newPage({ colorScheme })
      for (const target of [...targets, `${bare.url.origin}/`]) {
        await page.goto(target)
        // By the developer tools: the pages' own policy lets no script in.
        await page.evaluate(AXE)
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        )
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
        expect({ target: new URL(target).pathname + new URL(target).search, found }).toMatchObject({
          found: [],
        })
      }
      await page.close()
    },
    60_000,
  )
})
