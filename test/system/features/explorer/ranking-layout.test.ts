import { expect, test } from 'bun:test'
import { inBrowser } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'

inBrowser('the layout of the ranking', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', inventPeople().slice(0, 60)), serveExplorer)

  test('on a phone, the first person is on the first screen, and no place or placeholder is cut', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url.href)
    const first = await page.locator('.ranking li:not(.labels)').first().boundingBox()
    expect((first?.y ?? 740) + (first?.height ?? 0)).toBeLessThan(740)
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth + 1
    expect(await page.locator('#search').evaluate(isCut)).toBe(false)
    const beyond = await page.locator('.ranking li:not(.labels)').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const edge = row.querySelector('.about')?.getBoundingClientRect().right ?? 0
        const parts = [...row.querySelectorAll('.about > [href*="location:"]')]
        return parts
          .filter((part) => part.getBoundingClientRect().right > edge + 1)
          .map((part) => part.textContent)
      }),
    )
    expect(beyond).toEqual([])
  })

  test('on a phone, a search while typing shows the page that Enter opens, with its whole heading', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url.href)
    const [heading, search] = [page.locator('h1'), page.getByRole('searchbox')]
    await search.fill('humans tagged solidity')
    await page.locator('.lead').waitFor({ state: 'detached' })
    expect(await heading.textContent()).toMatch(/^\d+ humans tagged “solidity”$/)
    const typed = await search.boundingBox()
    await Promise.all([page.waitForEvent('load'), search.press('Enter')])
    expect(await search.boundingBox()).toEqual(typed)
    await search.fill('')
    await page.locator('.lead').waitFor()
    expect(await heading.textContent()).toMatch(/^[\d,]+ passports$/)
  })

  test('on a phone, the names of credentials are not broken', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.url}credentials`)
    const names = await page.locator('#types tbody th[scope=row] a').all()
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) expect((await name.boundingBox())?.height).toBeLessThan(30)
  })

  test('the page number is centred between the links to the previous and next page', async () => {
    const page = await browser.newPage()
    const middleOf = async (selector: string) => {
      const { x, width } = (await page.locator(selector).boundingBox()) ?? { x: 0, width: 0 }
      expect(width).toBeGreaterThan(0)
      return x + width / 2
    }
    for (const number of [1, 2, 3]) {
      await page.goto(`${server.url}?page=${number}`)
      expect(Math.abs((await middleOf('.pager')) - (await middleOf('.pager .at')))).toBeLessThan(2)
    }
  })
})
