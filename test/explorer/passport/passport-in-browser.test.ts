import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addAxe, findViolations } from '../../support/explorer/axe.ts'
import { inBrowser, watchConsole, withoutBadges } from '../../support/explorer/browser.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../support/explorer/sample-passport.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore, type TestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, credential, NOON, record } from '../../support/store/records.ts'

const TOO_WIDE = `[...document.querySelectorAll('main, main *')]
  .filter((part) => part.checkVisibility() && !part.closest('svg *, .watermark, thead') && part.getBoundingClientRect().right > innerWidth)
  .map((part) => part.outerHTML.slice(0, 100))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['scrolls'] : [])`

/** The credential that shows that the person is human is folded, because five others have more points. */
const human = record(21, {
  human: true,
  profile: { displayName: 'Hana' },
  credentials: [
    ...[1, 2, 3, 4, 5, 6].map((at) => credential(`${at}`, { name: `ENS ${at}`, score: 9, maxScore: 9 })),
    credential('proof', { type: 'worldcoin', name: 'World ID', value: 'Verified', score: 8, maxScore: 8 }),
  ],
})

const richest = record(22, { scores: { total: 990_000_000.25 } })

const openPeople = async (): Promise<TestStore> => {
  const store = await openTestStore('sqlite', [mira, human, richest, ...OTHERS])
  for (const amount of [900, 400]) {
    await addDataPoint(store, amount)
    await rescore(store)
  }
  return store
}

/** Presses Tab until the element with this text or label has the focus. Returns the texts of all elements on the way. */
async function tabTo(page: Page, target: string): Promise<string[]> {
  const names: string[] = []
  while (names.at(-1) !== target && names.length < 100) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(
      "(({ activeElement: at }) => at.getAttribute('aria-label') ?? (at.textContent.trim() || at.value))(document)",
    )
    names.push(String(name))
  }
  expect(names.at(-1)).toBe(target)
  return names
}

inBrowser('the passport page in a browser', (browser) => {
  const server = shareServer(openPeople, serveExplorer)

  async function visit(url: string, page: Page) {
    const complaints = watchConsole(page)
    await withoutBadges(page)
    await page.goto(url)
    return complaints
  }

  test('copy buttons work, credentials can be sorted by keyboard and by clicks, and the console stays empty', async () => {
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

  test('when a recalculation is finished, the page shows the new score and announces it', async () => {
    await using server = await servePeople([mira])
    await addDataPoint(server.store, 900)
    const page = await browser.newPage()
    const complaints = await visit(`${server.url}passports/12`, page)
    await page.getByText('It updates automatically.').waitFor()
    await page.getByText('How every point is calculated').click()
    await page.locator('#lines').waitFor()
    await page.evaluate('window.isSame = true')
    expect(await page.locator('#score .large').textContent()).toBe('1,042.5')
    await rescore(server.store)
    await page.getByRole('status').getByText('New score: 1,057.5.').waitFor()
    expect(await page.locator('#score .large').textContent()).toBe('1,057.5')
    expect(await page.locator('#recalculating').count()).toBe(0)
    expect(await page.title()).toBe('Mira Kettlewood: 1,057.5 · passportd')
    expect(await page.evaluate('window.isSame')).toBe(true)
    // The details are still open, and the focus and the buttons are restored.
    expect(await page.locator('#how').getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('how')
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
    await using server = await servePeople([mira, wide])
    for (const hasScripts of [true, false]) {
      const page = await (hasScripts ? browser.newPage() : browser.newPageWithoutScripts())
      const complaints = await visit(`${server.url}passports/13`, page)
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
      for (const width of [320, 700, 1280]) {
        await page.setViewportSize({ width, height: 640 })
        expect([width, await page.evaluate(TOO_WIDE)]).toEqual([width, []])
      }
      expect(await page.getByRole('button').count()).toBe(hasScripts ? 6 : 1)
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

  test('the keyboard reaches every control in the order in which a phone shows them, the share panel after its button', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    const complaints = await visit(`${server.url}passports/12`, page)
    const before = await tabTo(page, 'Share')
    expect(before.slice(-5, -1)).toEqual(['Lisbon', '▼ −5 since January 2026', 'builder', 'zk'])
    await page.keyboard.press('Enter')
    const panel = await tabTo(page, 'Copy HTML')
    expect(panel.slice(0, 3)).toEqual(['Close', 'Copy link', 'Download card'])
    expect(panel.slice(-5)).toEqual(['score', 'flat', 'light', 'Copy Markdown', 'Copy HTML'])
    const after = await tabTo(page, 'How every point is calculated')
    expect(after[0]).toBe('Compare')
    const names = [...after, ...(await tabTo(page, 'End of V1'))]
    for (const name of ['Points', 'Epsilon', 'Copy wallet 0xada0…0001', 'For developers'])
      expect(names).toContain(name)
    await page.keyboard.press('Escape')
    // Controls side by side may differ by a few pixels.
    const misplaced = `[...document.querySelectorAll('#main :is(a:not([tabindex]), button, summary)')]
      .filter((each) => each.checkVisibility())
      .map((each) => ({ name: each.textContent, place: each.getBoundingClientRect().bottom }))
      .filter(({ place }, at, all) => place < (all[at - 1]?.place ?? place) - 12)`
    expect(await page.evaluate(misplaced)).toEqual([])
    const copies = [...panel, ...names].filter((name) => name.startsWith('Copy'))
    expect(new Set(copies).size).toBe(copies.length)
    expect(complaints).toEqual([])
  })

  test('a visitor chooses a badge for a README by keyboard, with and without JavaScript', async () => {
    for (const hasScripts of [true, false]) {
      const page = await (hasScripts ? browser.newPage() : browser.newPageWithoutScripts())
      await visit(`${server.url}passports/12`, page)
      const image = page.getByRole('img', { name: 'Badge of this passport' })
      expect(await image.count()).toBe(0)
      await tabTo(page, 'Share')
      await page.keyboard.press('Enter')
      expect(await page.getByRole('img', { name: 'Card: Mira Kettlewood' }).isVisible()).toBe(true)
      await tabTo(page, 'score')
      await page.keyboard.press('ArrowDown')
      expect(await image.getAttribute('src')).toBe('/badge/12.svg?show=level&style=flat&theme=light')
      await page.keyboard.press('ArrowDown')
      await tabTo(page, 'flat')
      await page.keyboard.press('ArrowUp')
      await tabTo(page, 'light')
      await page.keyboard.press('ArrowDown')
      expect(await image.getAttribute('src')).toBe('/badge/12.svg?show=top&style=large&theme=dark')
      const [markdown, markup] = await page.locator('#badge code').allInnerTexts()
      const badge = `${server.url}badge/12.svg?show=top`
      expect(markdown).toBe(`[![Passport 12](${badge}&style=large&theme=dark)](${server.url}passports/12)`)
      expect(markup).toContain(`<img src="${badge}&amp;style=large&amp;theme=dark" alt="Passport 12">`)
      if (!hasScripts) continue
      await tabTo(page, 'Copy Markdown')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('Copied.').waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(markdown)
      await page.keyboard.press('Escape')
      expect(await image.count()).toBe(0)
    }
  })

  test('a visitor without JavaScript learns by keyboard why a score fell', async () => {
    const page = await browser.newPageWithoutScripts()
    await visit(`${server.url}passports/12`, page)
    expect(await page.locator('#score .last').textContent()).toBe(
      '▼ −5 since January 2026: GitHub −5, 15 to 10',
    )
    await tabTo(page, '▼ −5 since January 2026')
    await page.keyboard.press('Enter')
    const row = page.locator('tr:target')
    expect(await row.isVisible()).toBe(true)
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      '2026-01-02',
      '▼ −5',
      '1,057.5 to 1,052.5',
      'GitHub −5, 15 to 10 (900 to 400)',
    ])
    const color = (place: string) =>
      page.evaluate((selector) => getComputedStyle(document.querySelector(selector) as Element).color, place)
    expect(await color('#history .fall')).not.toBe(await color('#history .rise'))
    // Each mark of the chart leads to the row of its change.
    await page.locator('.history a.rise').first().click()
    expect(await page.locator('tr:target').textContent()).toContain('GitHub +15 (new)')
  })

  test('a visitor without JavaScript learns by keyboard why a person counts as human, even if the credential is folded', async () => {
    const page = await browser.newPageWithoutScripts()
    await visit(`${server.url}passports/21`, page)
    const row = page.locator('#human')
    expect(await row.isVisible()).toBe(false)
    await tabTo(page, 'human')
    await page.keyboard.press('Enter')
    expect(await row.isVisible()).toBe(true)
    expect(await row.textContent()).toContain('Verified, shows that this is a human')
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

  test('axe finds no violation in the share panel, in both themes', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await visit(`${server.url}passports/12`, page)
    await page.getByRole('button', { name: 'Share' }).click()
    await addAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page)).toEqual([])
    }
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
    expect(await page.getByRole('link', { name: 'Download card' }).getAttribute('href')).toBe('/card/12.png')
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByRole('cell', { name: 'GitHub +15 (new)' }).isVisible()).toBe(true)
    await page.getByText('How every point is calculated').click()
    await page.getByRole('link', { name: 'Show the points of every credential' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Score calculation of Mira Kettlewood',
    )
    await page.getByRole('link', { name: 'Mira Kettlewood' }).click()
    await page.getByRole('link', { name: 'builder' }).click()
    expect(new URL(page.url()).search).toBe('?tag=builder')
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
