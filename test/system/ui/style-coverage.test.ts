import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../../support/explorer/browser.ts'
import { crawl } from '../../support/explorer/crawl.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { findMatches, listSelectors } from '../../support/explorer/selectors.ts'
import { ZOE } from '../../support/own-record/test-wallet.ts'
import { KEYS } from '../../support/proof/snapshots.ts'
import { fillWithDemo } from '../../support/store/demo.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

/** No page of this test has these states. */
const EXCEPTIONS = {
  ':is(#verdict) .not-valid': 'a snapshot whose signature or score is wrong',
  ':is(#explanation) ul': 'points from several accounts of one type',
}

/** A rule for an element that no page has: the test must find it. */
const PLANTED_RULE = 'main { :is(a, .planted):hover { top: 0 } }'
const PLANTED_SELECTOR = ':is(main) :is(.planted):is(*)'

/** A passport with a long score, a score beyond the scale, a part without a name, and more tags than a page shows. */
const UNUSUAL = record(5000, {
  mainWallet: ZOE.address,
  scores: { total: 123_456_789, activity: 1 },
  profile: { displayName: 'Zoe', tags: Array.from({ length: 50 }, (_, at) => `tag${at}`) },
})

inBrowser('style sheets', (browser) => {
  test('every selector matches an element of a page, except in states of unusual data', async () => {
    await using store = await openTestStore('sqlite')
    await fillWithDemo(store, Date.now())
    await saveRecords(store, [UNUSUAL])
    const rasterize = async () => new Uint8Array(1)
    await using server = serveExplorer(store, { signing: KEYS, now: Date.now, rasterize })
    const documents = [...(await crawl(server.url.origin, 3)).values()]
    const page = await browser.newPage()
    const selectors = new Set<string>()
    const used = new Set<string>()
    const readPage = async () => {
      for (const selector of await listSelectors(page, PLANTED_RULE)) selectors.add(selector)
      for (const selector of await findMatches(page, selectors.difference(used))) used.add(selector)
    }
    await visitPages(page, server.url.origin, readPage)
    for (const selector of await findMatches(page, selectors.difference(used), documents)) used.add(selector)
    const unused = [...selectors.difference(used)]
    expect(unused.toSorted()).toEqual([...Object.keys(EXCEPTIONS), PLANTED_SELECTOR].toSorted())
  })
})

/** Does on each page with a script what changes the page, then calls `readPage`. */
async function visitPages(page: Page, origin: string, readPage: () => Promise<void>): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.goto(`${origin}/`)
  await page.getByRole('checkbox').nth(1).check()
  await page.getByRole('searchbox').fill('ada')
  await page.getByText('matching “ada”').waitFor()
  await readPage()
  await page.goto(`${origin}/?q=lagos`)
  await page.locator('#compare [type=hidden]').waitFor({ state: 'attached' })
  await readPage()
  await page.goto(`${origin}/compare?ids=1,2,3,5000`)
  await page.getByRole('searchbox').fill('lagos')
  await page.locator('#find-person ul a').first().waitFor()
  await readPage()
  for (const path of ['/passports/42', '/passports/5000']) {
    await page.goto(origin + path)
    await press('Share')
    await readPage()
  }
  await page.goto(`${origin}/verify#1`)
  await page.locator('#verdict .valid').waitFor()
  await readPage()
  await page.goto(`${origin}/reference/v3/getPassportV3`)
  await press('Send request')
  await page.locator('[data-ok]').waitFor()
  await readPage()
  await page.goto(`${origin}/me`)
  await page.getByLabel('Your wallet').fill(ZOE.address)
  await press('Show the message')
  await page.getByLabel('The signature').fill(ZOE.sign((await page.locator('pre').textContent()) as string))
  await readPage()
  await press('Continue')
  await page.getByRole('heading', { name: 'Your passport' }).waitFor()
  await readPage()
}
