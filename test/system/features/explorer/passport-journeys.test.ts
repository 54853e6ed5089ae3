import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { drawPng } from '../../../features/pictures/draw-png.ts'
import { addAxe, findViolations } from '../../../support/explorer/axe.ts'
import { inBrowser, visit } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../../support/explorer/sample-passport.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore, type TestStore } from '../../../support/store/engines.ts'
import { credential, record } from '../../../support/store/records.ts'

/** The credential that shows that the person is human is folded, because five others have more points. */
const human = record(21, {
  human: true,
  profile: { displayName: 'Hana' },
  credentials: [
    ...[1, 2, 3, 4, 5, 6].map((at) => credential(`${at}`, { name: `ENS ${at}`, score: 9, maxScore: 9 })),
    credential('proof', { type: 'worldcoin', name: 'World ID', value: 'Verified', score: 8, maxScore: 8 }),
  ],
})

const openPeople = async (): Promise<TestStore> => {
  const store = await openTestStore('sqlite', [mira, human, ...OTHERS])
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

inBrowser('journeys on the passport page', (browser) => {
  const server = shareServer(openPeople, (store) => serveExplorer(store, { rasterize: drawPng }))

  test('the keyboard reaches every control in the order in which a phone shows them, the share panel after its button', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    const complaints = await visit(`${server.url}passports/12`, page)
    const before = await tabTo(page, 'Share')
    expect(before.slice(1, 4)).toEqual(['passportd', 'Find a person', 'Menu'])
    expect(before.slice(-3, -1)).toEqual(['builder', 'zk'])
    await page.keyboard.press('Enter')
    const panel = await tabTo(page, 'Copy HTML')
    expect(panel.slice(0, 3)).toEqual(['Close', 'Copy link', 'Download card (PNG)'])
    expect(panel.slice(-4)).toEqual(['score', 'light', 'Copy Markdown', 'Copy HTML'])
    const after = await tabTo(page, 'How every point is calculated')
    expect(after.slice(0, 5)).toEqual([
      ...['Compare', 'Is this you?', 'Outstanding', '2nd of 6 people', '▼ −5 on 2 January 2026'],
    ])
    const names = [...after, ...(await tabTo(page, 'API reference'))]
    for (const name of ['Epsilon', 'Copy wallet 0xada0…0001', 'this passport as JSON'])
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

  test('the header is one row on a phone, with a menu that the keyboard opens and closes without JavaScript', async () => {
    const page = await browser.newPageWithoutScripts()
    await page.setViewportSize({ width: 360, height: 800 })
    await visit(`${server.url}passports/12`, page)
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true })
    const boxes = await Promise.all(
      ['.brand', 'header > button'].map((each) => page.locator(each).boundingBox()),
    )
    const [brand, button] = boxes.map((box) => ({
      top: box?.y ?? 0,
      end: (box?.y ?? 0) + (box?.height ?? 0),
    }))
    expect(Math.max(brand?.top ?? 0, button?.top ?? 0)).toBeLessThan(
      Math.min(brand?.end ?? 0, button?.end ?? 0),
    )
    expect(await menu.count()).toBe(0)
    await tabTo(page, 'Menu')
    await page.keyboard.press('Enter')
    const pages = ['People', 'Movers', 'Credentials', 'API', 'About']
    expect(await tabTo(page, 'About')).toEqual(pages)
    await page.keyboard.press('Escape')
    expect(await menu.count()).toBe(0)
    await page.setViewportSize({ width: 1200, height: 800 })
    expect(await menu.isVisible()).toBe(true)
    expect(await page.locator('header > button').isVisible()).toBe(false)
    await page.getByRole('searchbox', { name: 'Find a person' }).fill('mira')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '1 person matching “mira”' }).waitFor()
    expect(await page.getByRole('searchbox').count()).toBe(1)
  })

  test('the link of a rank scrolls to the row of the person, which is highlighted', async () => {
    const page = await browser.newPageWithoutScripts()
    await visit(`${server.url}passports/12`, page)
    await page.getByRole('link', { name: '2nd of 6 people' }).click()
    const row = page.locator('.ranking li:target')
    expect(await row.textContent()).toContain('Mira Kettlewood')
    const background = (selector: string) =>
      page.locator(selector).evaluate((each) => getComputedStyle(each).backgroundColor)
    expect(await background('#p12')).not.toBe(await background('#p21'))
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
      await page.keyboard.press('ArrowUp')
      await tabTo(page, 'light')
      await page.keyboard.press('ArrowDown')
      expect(await image.getAttribute('src')).toBe('/badge/12.svg?show=top&theme=dark')
      const [markdown, markup] = await page.locator('#badge code').allInnerTexts()
      const badge = `${server.url}badge/12.svg?show=top`
      const alt = 'Passport badge of Mira Kettlewood'
      expect(markdown).toBe(`[![${alt}](${badge}&theme=dark)](${server.url}passports/12)`)
      expect(markup).toContain(`<img src="${badge}&amp;theme=dark" alt="${alt}">`)
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
    expect(await page.locator('.change').textContent()).toBe(
      '▼ −5 on 2 January 2026 GitHub −5, 15 to 10 (now 400)',
    )
    await tabTo(page, '▼ −5 on 2 January 2026')
    await page.keyboard.press('Enter')
    const row = page.locator('tr:target')
    expect(await row.isVisible()).toBe(true)
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      '2 Jan 2026',
      '▼ −5',
      '1,057.5 to 1,052.5',
      'GitHub −5, 15 to 10 (now 400)',
    ])
    const color = (place: string) =>
      page.evaluate((selector) => getComputedStyle(document.querySelector(selector) as Element).color, place)
    expect(await color('#history .fall')).not.toBe(await color('#history .rise'))
    // Each mark of the chart leads to the row of its change.
    await page.locator('.history a.rise').first().click()
    expect(await page.locator('tr:target').textContent()).toContain('GitHub +15 (first recorded)')
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
})
