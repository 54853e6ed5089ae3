import { expect, test } from 'bun:test'
import { inBrowser, tabTo } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'
import { record } from '../../../support/store/records.ts'

inBrowser('a comparison on a phone', (browser) => {
  test('three people are chosen, compared and removed on a phone with the keyboard, and all of them fit the screen', async () => {
    await using store = await openTestStore('sqlite', inventPeople().slice(0, 60))
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(server.url.href)
    const boxes = page.getByRole('checkbox')
    for (const at of [0, 1, 2]) {
      await boxes.nth(at).focus()
      await page.keyboard.press('Space')
    }
    const names = (await page.locator('.ranking .name').allTextContents()).slice(0, 3)
    await tabTo(page, /^Compare/)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/compare?**')
    expect(await page.locator('.compared').allTextContents()).toEqual(names)
    const cells = await page.locator('.compare :is(thead th, tbody td)').evaluateAll((list) =>
      list.map((cell) => {
        const { left, right } = cell.getBoundingClientRect()
        return left >= 0 && right <= innerWidth && cell.scrollWidth <= cell.clientWidth
      }),
    )
    expect(cells.length).toBeGreaterThan(20)
    expect(cells).not.toContain(false)
    // The names stay visible below.
    await page.locator('.compare tbody').last().scrollIntoViewIfNeeded()
    expect((await page.locator('.compared').first().boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.locator('#search').focus()
    await tabTo(page, /^Remove/)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(`Remove ${names[0]}×`)
    await page.keyboard.press('Enter')
    await page.getByText(names[0] as string).waitFor({ state: 'detached' })
    expect(await page.locator('.compared').allTextContents()).toEqual(names.slice(1))
  })

  test('from a comparison, people are added by selecting them in the list', async () => {
    await using store = await openTestStore('sqlite', inventPeople().slice(0, 60))
    await using server = serveExplorer(store)
    const page = await browser.newPage()
    await page.goto(`${server.url}passports/1`)
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.waitForURL('**/compare?ids=1')
    await page.getByRole('link', { name: 'Select people' }).click()
    await page.getByRole('button', { name: 'Compare 1' }).waitFor()
    const other = page.getByRole('checkbox', { checked: false }).first()
    const id = await other.inputValue()
    await other.check()
    await page.getByRole('button', { name: 'Compare 2' }).click()
    await page.waitForURL('**/compare?ids=*')
    const people = await page
      .locator('.compared')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(people.toSorted()).toEqual(['/passports/1', `/passports/${id}`].toSorted())
  })

  test('the comparison of four people with long names and scores fits a phone, below a short title, without a layout shift', async () => {
    const people = [1, 2, 3, 4].map((id) =>
      record(id, {
        scores: { total: 987_654_320 + id, activity: 987_654_320 + id },
        profile: {
          displayName:
            ['Ada Featherstonehaugh', 'Wilhelmina Inkwellspindle', 'Junipermeadow'][id - 2] ??
            'Wilhelmina '.repeat(5),
        },
      }),
    )
    await using store = await openTestStore('sqlite', people)
    await using long = serveExplorer(store)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 740 })
    // Then the first paint has the whole page. Otherwise, parts may move because more of the page arrives.
    await page.route('**/style*', async (route) => {
      await page.locator('footer').waitFor({ state: 'attached' })
      await route.continue()
    })
    const { promise: painted, resolve: onPaint } = Promise.withResolvers<void>()
    await page.route('**/assets/share*', async (route) => {
      await painted
      await route.continue()
    })
    await page.goto(`${long.url}compare?ids=1,2,3,4`, { waitUntil: 'commit' })
    await page.locator('footer').waitFor()
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    onPaint()
    await page.getByRole('button', { name: 'Copy link', includeHidden: true }).waitFor({ state: 'attached' })
    const shifts = await page.evaluate(() => {
      const observer = new PerformanceObserver(() => {})
      observer.observe({ type: 'layout-shift', buffered: true })
      return observer.takeRecords().length
    })
    expect(shifts).toBe(0)
    const linesOf = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((list) =>
          list.map((each) =>
            Math.round(each.clientHeight / Number.parseFloat(getComputedStyle(each).lineHeight)),
          ),
        )
    expect(await linesOf('h1 .clamp')).toEqual([5])
    expect(await linesOf('.large')).toEqual([1, 1, 1, 1])
    // Names and levels break between words. Only a longer word breaks inside, so that the whole name is visible.
    const broken = await page.locator('.compared bdi, tr:has([href*=levels]) td span').evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const text = cell.lastChild as Text
        return [...text.data.matchAll(/[^ -]+/g)].flatMap(({ index, 0: word }) => {
          const range = new Range()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? word : []
        })
      }),
    )
    expect(broken).toEqual(['Featherstonehaugh'])
    expect(await page.locator('tr:has([href*=levels]) td span').allTextContents()).toContain('Outstanding')
    const isWhole = await page
      .locator('.compared')
      .nth(1)
      .evaluate((name) => name.scrollHeight <= name.clientHeight + 1)
    expect(isWhole).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })
})
