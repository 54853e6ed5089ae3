import { expect, test } from 'bun:test'
import { drawPng } from '../../../features/pictures/draw-png.ts'
import { inBrowser, visit } from '../../../support/explorer/browser.ts'
import { serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../../support/explorer/sample-passport.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore, type TestStore } from '../../../support/store/engines.ts'
import { ADA_WALLET, credential, NOON, record } from '../../../support/store/records.ts'

const TOO_WIDE = `[...document.querySelectorAll('main, main *')]
  .filter((part) => part.checkVisibility() && !part.closest('svg *, .watermark, thead') && part.getBoundingClientRect().right > innerWidth)
  .map((part) => part.outerHTML.slice(0, 100))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['scrolls'] : [])`

const richest = record(22, { scores: { total: 990_000_000.25 } })

const openPeople = async (): Promise<TestStore> => {
  const store = await openTestStore('sqlite', [mira, richest, ...OTHERS])
  await addDataPoint(store, 900)
  await rescore(store)
  return store
}

inBrowser('the passport page in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)

  test('copy buttons work, and the console stays empty', async () => {
    await using server = await servePeople([mira, ...OTHERS])
    const page = await browser.newPage()
    const complaints = await visit(`${server.url}passports/${ADA_WALLET}`, page)
    await page.getByRole('button', { name: 'Copy wallet' }).first().click()
    await page.getByRole('status').getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ADA_WALLET)
    expect(complaints).toEqual([])
  })

  test('when a recalculation is finished, the page shows the new score and announces it', async () => {
    await using server = await servePeople([mira])
    await addDataPoint(server.store, 900)
    const page = await browser.newPage()
    const complaints = await visit(`${server.url}passports/12`, page)
    await page.getByText('It updates automatically.').waitFor()
    await page.getByText('without points').click()
    await page.evaluate('window.isSame = true')
    expect(await page.locator('#score .large').textContent()).toBe('1,042.5')
    await rescore(server.store)
    await page.getByRole('status').getByText('New score: 1,057.5.').waitFor()
    expect(await page.locator('#score .large').textContent()).toBe('1,057.5')
    expect(await page.locator('#recalculating').count()).toBe(0)
    expect(await page.title()).toBe('Mira Kettlewood: passport score 1,057.5 · passportd')
    expect(await page.evaluate('window.isSame')).toBe(true)
    // The details are still open, and the focus and the buttons are restored.
    expect(await page.locator('#unscored').getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('unscored')
    expect(await page.getByRole('button', { name: 'Copy wallet' }).count()).toBe(2)
    expect(complaints).toEqual([])
  })

  test('the page fits narrow and wide screens, with and without a script, in both themes', async () => {
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
    await using server = await servePeople([mira, wide], { rasterize: drawPng })
    for (const hasScripts of [true, false]) {
      const page = await (hasScripts ? browser.newPage() : browser.newPageWithoutScripts())
      const complaints = await visit(`${server.url}passports/13`, page)
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
      for (const width of [320, 700, 1280]) {
        await page.setViewportSize({ width, height: 640 })
        expect([width, await page.evaluate(TOO_WIDE)]).toEqual([width, []])
      }
      expect(await page.getByRole('button').count()).toBe(hasScripts ? 2 : 1)
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

  test('a number with many digits stays on one line of a phone', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    await visit(`${server.url}passports/22`, page)
    const lines =
      "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('#score .large')); return range.getClientRects().length })()"
    expect(await page.locator('#score .large').textContent()).toBe('990,000,000.25')
    expect(await page.evaluate(lines)).toBe(1)
    expect(await page.evaluate(TOO_WIDE)).toEqual([])
  })

  test('the link is copied; colour samples keep their colours in forced-colors mode', async () => {
    const page = await browser.newPage()
    await visit(`${server.url}passports/12`, page)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('status').getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${server.url}passports/12`)
    await page.emulateMedia({ forcedColors: 'active' })
    const colors =
      "[...document.querySelectorAll('.parts .swatch')].map((part) => getComputedStyle(part).backgroundColor)"
    expect(new Set((await page.evaluate(colors)) as string[]).size).toBe(3)
  })

  test('without JavaScript, a visitor can read everything and follow the links', async () => {
    const page = await browser.newPageWithoutScripts()
    await visit(`${server.url}passports/12`, page)
    expect(await page.getByRole('heading', { name: 'Mira Kettlewood' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Share' }).click()
    expect(await page.getByRole('link', { name: 'Download card' }).getAttribute('href')).toBe(
      '/card/12.png?score=1057.5',
    )
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByRole('cell', { name: 'GitHub +15 (first recorded: 900)' }).isVisible()).toBe(true)
    await page.getByText('How every point is calculated').click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Score calculation of Mira Kettlewood',
    )
    await page.getByRole('link', { name: 'Mira Kettlewood' }).click()
    await page.getByRole('link', { name: 'builder', exact: true }).click()
    expect(new URL(page.url()).search).toBe('?filter=tag:builder')
    await page.getByRole('link', { name: 'Mira Kettlewood' }).click()
    expect(new URL(page.url()).pathname).toBe('/passports/12')
  })

  test('a long name takes at most three lines, and stacked combining marks are clipped', async () => {
    const people = [
      record(1, { profile: { displayName: 'x'.repeat(1000) } }),
      record(2, { profile: { displayName: `a${'\u0301'.repeat(500)}b`, tags: [`t${'\u0322'.repeat(30)}`] } }),
      record(3, {
        profile: { displayName: 'ر', bio: 'مرحبا' },
        socials: mira.socials.map((social) => ({ ...social, bio: 'مرحبا' })),
      }),
    ]
    await using server = await servePeople(people)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 390, height: 800 })
    await visit(`${server.url}passports/1`, page)
    const lines =
      "(() => { const h1 = document.querySelector('h1'); return Math.round(h1.clientHeight / parseFloat(getComputedStyle(h1).lineHeight)) })()"
    expect(await page.evaluate(lines)).toBe(3)
    await page.goto(`${server.url}passports/2`)
    const clips =
      "['h1', '.chips', '.person'].map((name) => getComputedStyle(document.querySelector(name)).overflowY)"
    expect(await page.evaluate(clips)).toEqual(['clip', 'clip', 'clip'])
    await page.goto(`${server.url}passports/3`)
    const sides =
      "[...document.querySelectorAll('main [dir=auto]')].map((part) => getComputedStyle(part).textAlign)"
    expect(new Set((await page.evaluate(sides)) as string[])).toEqual(new Set(['left']))
  })
})
