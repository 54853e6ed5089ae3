import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'
import { credential, named, record } from '../../../support/store/records.ts'

inBrowser('discovery in a browser', (browser) => {
  const server = shareServer(
    () => openTestStore('sqlite', inventPeople().slice(0, 60)),
    (store) => serveExplorer(store),
  )

  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent || '')

  const countOf = (page: Page) => page.locator('[data-count]').textContent()

  test('the list is searched as you type, the number of matches is announced, and the URL is updated', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(server.url.href)
    await page.getByRole('searchbox').pressSequentially('ada', { delay: 5 })
    await page.getByText(/matching “ada”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=ada`)
    expect(await page.title()).toBe('People matching “ada” · passportd')
    expect(await page.locator('[data-count]').textContent()).toMatch(/^\d+ of 60 passports$/)
    for (const row of await page.locator('.ranking .who').allTextContents())
      expect(row.toLowerCase()).toContain('ada')
    expect(await page.locator('.lead').count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search')
    await page.getByRole('searchbox').fill('nobody at all')
    await page.getByRole('heading', { name: 'No people matching “nobody at all”' }).waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('heading', { name: '60 passports' }).waitFor()
    expect(page.url()).toBe(server.url.href)
    expect(complaints).toEqual([])
  })

  test('the response of an older search is ignored; a failed search shows the reason, and Enter retries it', async () => {
    const page = await browser.newPage()
    const { promise: late, resolve: letGo } = Promise.withResolvers<void>()
    await page.route('**/?q=a', async (route) => {
      await late
      await route.continue().catch(() => undefined)
    })
    await page.goto(server.url.href)
    const asked = page.waitForRequest('**/?q=a')
    await page.getByRole('searchbox').fill('a')
    await asked
    await page.getByRole('searchbox').fill('ada')
    await page.getByText(/matching “ada”/).waitFor()
    letGo()
    await page.unrouteAll({ behavior: 'wait' })
    expect(await page.locator('h1').textContent()).toContain('matching “ada”')
    expect(page.url()).toBe(`${server.url}?q=ada`)

    await page.route('**/?q=ma', (route) => route.abort(), { times: 1 })
    await page.getByRole('searchbox').fill('ma')
    await page.getByText('Press Enter to try again').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/matching “ma”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=ma`)
  })

  test('the keyboard reaches the skip link, the search and each passport', async () => {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true)
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    const seen: unknown[] = []
    for (let steps = 0; steps < 3; steps++) {
      await page.keyboard.press('Tab')
      seen.push(await focused(page))
    }
    expect(seen).toEqual(['search', 'Search', 'Skip the filters'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe((await page.locator('.ranking .name').first().textContent()) ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/passports/*')
  })

  test('the keyboard opens the search, moves through the people and opens one', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(server.url.href)
    await page.keyboard.press('/')
    expect(await focused(page)).toBe('search')
    await page.keyboard.type('ma')
    await page.getByText(/matching “ma”/).waitFor()
    const names = await page.locator('.ranking .name').allTextContents()
    expect(names.length).toBeGreaterThan(2)
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe(names[0] as string)
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe(names[1] as string)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe('search')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect(await focused(page)).toBe('search')
    await page.keyboard.press('Escape')
    await page.waitForURL(server.url.href)
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/passports/*')
    expect(complaints).toEqual([])
  })

  test('the keyboard finds the top people by typed filters: arrow keys reach the suggestions, then the people', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(server.url.href)
    await page.keyboard.press('/')
    await page.keyboard.type('human b')
    const suggestion = page
      .getByRole('list', { name: 'Suggested filters' })
      .getByRole('link', { name: 'tag builder' })
    await suggestion.waitFor()
    expect(await countOf(page)).toMatch(/^\d+ of 60 passports$/)
    expect(await page.locator('.ranking .name').count()).toBeGreaterThan(0)
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toContain('builder')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe('search')
    await page.keyboard.press('End')
    await page.keyboard.type('uilders advanced')
    await page.getByText(/^\d+ humans? tagged “builder” with the level Advanced$/).waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('human builders advanced')
    expect(await page.locator('#chips li').allTextContents()).toEqual([
      'Remove the filter tagged “builder” ×',
      'Remove the filter human ×',
      'Remove the filter with the level Advanced ×',
      'Clear all',
    ])
    await page.keyboard.press('ArrowDown')
    const [first = ''] = await page.locator('.ranking .name').allTextContents()
    expect(await focused(page)).toBe(first)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/passports/*')
    expect(await page.locator('h1').textContent()).toContain(first)
    expect(complaints).toEqual([])
  })

  test('searching as you type keeps the filters and the sort order, highlights the matches, and allows a slash in the text', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.url}?filter=tag:zk&sort=-skills_score`)
    await page.getByRole('searchbox').pressSequentially('a/')
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/')
    await page.getByRole('searchbox').fill('a')
    await page.getByText(/matching “a”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=a&filter=tag%3Azk&sort=-skills_score`)
    expect(await page.locator('.ranking mark').count()).toBeGreaterThan(0)
    expect(await page.locator('#chips a').first().getAttribute('href')).toBe('/?q=a&sort=-skills_score')
    await page.getByRole('searchbox').fill('')
    await page.waitForURL(`${server.url}?filter=tag%3Azk&sort=-skills_score`)
  })

  test('filters, sorting, pagination, credential pages and the comparison work without JavaScript', async () => {
    const page = await browser.newPageWithoutScripts()
    await page.goto(server.url.href)
    await page.locator('.facets a', { hasText: 'zk' }).first().click()
    await page.waitForURL('**/?filter=tag:zk')
    await page.getByRole('link', { name: 'Skills', exact: true }).click()
    await page.waitForURL('**/?filter=tag:zk&sort=-skills_score')
    await page.getByRole('searchbox').fill('a')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**/?q=a&filter=tag%3Azk&sort=-skills_score')
    await page.getByRole('link', { name: /Remove the filter/ }).click()
    await page.waitForURL('**/?q=a&sort=-skills_score')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.waitForURL('**/?q=a&sort=-skills_score&page=2')
    expect(await page.locator('.at').textContent()).toMatch(/^Page 2 of \d+$/)
    expect(await page.locator('.compare-bar').isVisible()).toBe(false)
    const boxes = page.getByRole('checkbox')
    const [one, other] = [await boxes.nth(0).inputValue(), await boxes.nth(1).inputValue()]
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Compare selected' }).click()
    await page.waitForURL(`**/compare?ids=${one}&ids=${other}`)
    expect(await page.locator('thead th').count()).toBe(2)
    await page.locator('tbody th a[href^="/credentials/"]').first().click()
    await page.waitForURL('**/credentials/*')
    await page.getByRole('link', { name: /people, with filters/ }).click()
    await page.waitForURL('**/?filter=type:*')
    // Tags and places are links of their own; the rest of the row leads to the passport.
    await page
      .locator('.ranking li:not(.labels)')
      .first()
      .click({ position: { x: 8, y: 8 } })
    await page.waitForURL('**/passports/*')
  })

  test('no page scrolls sideways, and long texts stay in their rows', async () => {
    const marks = `Z${'\u0301\u0335\u0489'.repeat(30)}`
    const long = 'W'.repeat(1000)
    const people = [
      record(1, {
        human: true,
        scores: { total: 9.9e8, activity: 9.9e8 },
        profile: { displayName: marks.repeat(10), location: marks, tags: [marks, long, 'x'.repeat(150)] },
        credentials: [
          credential('a', { type: 'x'.repeat(150), name: long, category: long, score: 9.9e8, maxScore: 1e9 }),
        ],
      }),
      record(2, { profile: { displayName: long }, scores: { total: 5 } }),
      named(3, 'Ada', 4),
    ]
    await using store = await openTestStore('sqlite', people)
    await using hostile = serveExplorer(store)
    await using empty = await openTestStore('sqlite')
    await using bare = serveExplorer(empty)
    const page = await browser.newPage()
    const paths = [
      `/?q=${'W'.repeat(200)}`,
      `/?filter=tag:${'x'.repeat(150)}`,
      `/?page=${long.slice(0, 150)}`,
    ]
    const others = ['/credentials', `/credentials/${'x'.repeat(150)}`, '/compare?ids=1,2,3', '/']
    const targets = [...paths, ...others].map((path) => hostile.url.origin + path)
    for (const target of [bare.url.href, ...targets]) {
      await page.goto(target)
      for (const width of [320, 2000]) {
        await page.setViewportSize({ width, height: 700 })
        const scrolled = await page.evaluate(() => document.documentElement.scrollWidth)
        expect([width, target, scrolled <= width]).toEqual([width, target, true])
      }
    }
    const rows = page.locator('.ranking li:not(.labels)')
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 700 })
      expect(await rows.evaluateAll((list) => list.map((row) => getComputedStyle(row).overflow))).toEqual(
        Array(3).fill('clip'),
      )
      // The row is no higher than two lines of the name plus the facts below them.
      expect(await rows.nth(1).evaluate((row) => row.clientHeight)).toBeLessThan(150)
    }
  })
})
