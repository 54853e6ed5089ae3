import { expect, test } from 'bun:test'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'

inBrowser('the search in the header', (browser) => {
  const server = shareServer(
    () => openTestStore('sqlite', inventPeople().slice(0, 60)),
    (store) => serveExplorer(store),
  )

  test('links the list, suggested filters and the first people, for the keyboard too, and closes when it loses the focus', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(new URL('/passports/42', server.url).href)
    await page.keyboard.press('/')
    await page.keyboard.type('lagos')
    const links = page.locator('#find-person ul a')
    await page.getByRole('link', { name: /people in Lagos/ }).waitFor()
    expect(await links.count()).toBeGreaterThan(3)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const address = await page.evaluate('document.activeElement.href')
    expect(address).toMatch(/\/passports\/\d+$/)
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.id')).toBe('search')
    await page.locator('#parts').click()
    expect(await links.first().isVisible()).toBe(false)
    await page.keyboard.press('/')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/?q=lagos')
    expect(complaints).toEqual([])
  })

  test('Enter opens the only person that a search finds, in the header and on the start page', async () => {
    const page = await browser.newPage()
    for (const path of ['/about', '/']) {
      await page.goto(new URL(path, server.url).href)
      await page.getByRole('searchbox').first().fill('passport 42')
      await page.locator('[data-results] a[href$="/passports/42"]').waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/passports/42')
      expect(await page.locator('#score').isVisible()).toBe(true)
    }
  })

  test('on a phone, its suggestions have the whole width', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(new URL('/movers', server.url).href)
    await page.getByRole('searchbox').fill('ada')
    const person = page.locator('#find-person ul a', { hasText: 'Ada Harborlight' })
    expect((await person.boundingBox())?.width).toBeGreaterThan(300)
    await person.click()
    await page.waitForURL('**/passports/1')
    expect(await page.title()).toContain('Ada Harborlight')
  })

  test('a selection for a comparison stays across searches, filters and pages, until it is compared or cleared', async () => {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    const compare = (words: string) => page.getByRole('button', { name: `Compare ${words}` })
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('searchbox').fill('ada harb')
    await page.getByText(/matching “ada harb”/).waitFor()
    await page.getByLabel('Compare Ada Harborlight').check()
    await compare('2 people').waitFor()
    await page.goto(new URL('/?filter=tag:zk&sort=-skills_score', server.url).href)
    await compare('2 people').click()
    await page.waitForURL('**/compare?ids=*')
    expect(await page.locator('thead th').count()).toBe(2)
    await page.goto(server.url.href)
    expect(await page.locator('#compare').isVisible()).toBe(false)
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.locator('#compare').waitFor({ state: 'hidden' })
    await page.goto(new URL('/?filter=tag:zk', server.url).href)
    expect(await page.locator('#compare').isVisible()).toBe(false)
  })
})
