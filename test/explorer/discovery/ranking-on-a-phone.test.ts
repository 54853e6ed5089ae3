import { expect, test } from 'bun:test'
import { inBrowser } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

inBrowser('the ranking on a phone', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', inventPeople().slice(0, 60)), serveExplorer)

  test('on a phone, the first person is on the first screen, and no place, tag or placeholder is cut', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url.href)
    const first = await page.locator('.ranking li:not(.labels)').first().boundingBox()
    expect((first?.y ?? 740) + (first?.height ?? 0)).toBeLessThan(740)
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth + 1
    expect(await page.locator('#search').evaluate(isCut)).toBe(false)
    const beyond = await page.locator('.ranking li:not(.labels)').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const edge = row.querySelector('.who')?.getBoundingClientRect().right ?? 0
        const parts = [...row.querySelectorAll('.about > *')]
        return parts
          .filter((part) => part.getBoundingClientRect().right > edge + 1)
          .map((part) => part.textContent)
      }),
    )
    expect(beyond).toEqual([])
  })

  test('on a phone, the heading of a long search is as high as the heading before it', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url.href)
    const heading = page.locator('h1')
    const heightOf = async () => Math.round((await heading.boundingBox())?.height ?? 0)
    const before = await heightOf()
    const search = page.getByRole('searchbox')
    await search.fill('solidity or zk without twitter, skills over 0, score under 900')
    await page.getByText('Search names for').waitFor()
    expect(await heading.textContent()).toMatch(/^(1 person|\d+ people) with a score/)
    expect(await heightOf()).toBe(before)
    await search.fill('nobody at all')
    await page.getByText('No passport found for “nobody at all”').waitFor()
    expect(await heading.textContent()).toBe('0 people matching “nobody at all”')
    expect(await heightOf()).toBe(before)
  })
})
