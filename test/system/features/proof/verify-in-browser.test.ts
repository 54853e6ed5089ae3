import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { mira } from '../../../support/explorer/sample-passport.ts'
import { shareServer } from '../../../support/http/server.ts'
import { JWKS, RULES, signNow } from '../../../support/proof/sample-snapshot.ts'
import { AS_SNAPSHOT, KEYS, verifySnapshot } from '../../../support/proof/snapshots.ts'
import { TAMPERED, VALID } from '../../../support/proof/tampered-snapshots.ts'
import { openTestStore, type TestStore } from '../../../support/store/engines.ts'
import { NOON } from '../../../support/store/records.ts'
import { adoptRules, scoreNow, scorerOf } from '../../../support/store/scoring.ts'

const OTHER = 'https://other.example.com'

async function openScored(): Promise<TestStore> {
  const store = await openTestStore('sqlite', [{ ...mira, stale: true }])
  await adoptRules(scorerOf(store))
  await scoreNow(store)
  return store
}

inBrowser('the page that checks a score, in a browser', (browser) => {
  const server = shareServer(openScored, (store) => serveExplorer(store, { signing: KEYS, now: Date.now }))

  /** Opens a page. Returns the paths that it fetches later. */
  async function open(page: Page, path = '/verify'): Promise<string[]> {
    const fetched: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') fetched.push(new URL(request.url()).pathname)
    })
    await page.goto('about:blank')
    await page.goto(server.url.origin + path)
    return fetched
  }

  const verdict = (page: Page) => page.locator('#verdict h2').textContent()

  test('the page of a passport links the check of its score, which fetches nothing from other sites', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    const fetched = await open(page, '/passports/12')
    fetched.length = 0
    await page.getByRole('link', { name: 'Check this score' }).click()
    await page.getByText('the snapshot is valid').waitFor()
    const { rules } = (await server.get('/api/v3/passports/12')).body
    const paths = [
      '/api/v3/passports/12',
      '/.well-known/jwks.json',
      `/api/v3/rules/${encodeURIComponent(rules)}`,
    ]
    expect(fetched).toEqual(paths)
    expect(await page.locator('#verdict li').count()).toBe(5)
    expect(await page.locator('#example').textContent()).toContain('/api/v3/passports/12 > score.jwt')
    expect(await page.locator('#verdict tr').count()).toBeGreaterThan(3)
    expect(await page.locator('#verdict').textContent()).toContain('ENS4 from the imported record')
    const points = await page.locator('#verdict td:last-child').allTextContents()
    expect(points).toEqual(points.toSorted((one, other) => Number(other) - Number(one)))
    expect(await page.locator('#verdict').textContent()).not.toMatch(/did:web|is (true|false)/)
    await page.locator('#verdict').getByRole('link', { name: '/passports/12' }).click()
    await page.waitForURL('**/passports/12')
    expect(complaints).toEqual([])
  })

  test('a snapshot in the fragment is checked, and another fragment replaces it', async () => {
    const page = await browser.newPage()
    const { text } = await server.get('/api/v3/passports/12', AS_SNAPSHOT)
    await open(page, `/verify#${text}`)
    expect(await verdict(page)).toBe('This score is genuine: the snapshot is valid')
    await page.evaluate('location.hash = "#1.2"')
    await page.getByText('This is not a snapshot').waitFor()
    await page.evaluate('location.hash = "#99"')
    await page.getByText('The snapshot is not checked').waitFor()
    await page.getByText('/api/v3/passports/99: There is no').waitFor()
  })

  test('without signing keys, no page links the check', async () => {
    await using unsigned = await servePeople([mira])
    expect((await unsigned.look('/passports/12')).text).not.toContain('/verify')
    expect((await server.look('/passports/12')).text).toContain('<a href="/verify#12">Check this score</a>')
  })

  test('a snapshot of another issuer needs its keys and rules, and a failure is shown with its name', async () => {
    const page = await browser.newPage()
    const fetched = await open(page)
    const check = page.getByRole('button', { name: 'Check' })
    await page.getByLabel('Snapshot', { exact: true }).fill(signNow(OTHER))
    await check.click()
    await page.getByText('The issuer is did:web:other.example.com, not this site.').waitFor()
    expect(await verdict(page)).toBe('The snapshot is not checked')
    await page.getByText('Snapshot of another site').click()
    await page.getByLabel('Keys').fill(JSON.stringify(JWKS))
    await page.getByLabel('Rule set').fill(JSON.stringify(RULES))
    await check.click()
    await page.getByText('the snapshot is valid').waitFor()
    await page.getByLabel('Snapshot', { exact: true }).fill(signNow(OTHER, { score: 99 }))
    await check.click()
    await page.getByText('The snapshot is not valid: wrong score').waitFor()
    await page.getByText('score must be 60, got 99.').waitFor()
    await page.getByLabel('Rule set').fill('no rules')
    await check.click()
    await page.getByText('The snapshot is not checked').waitFor()
    await page.getByText('is not valid JSON').waitFor()
    expect(fetched).toEqual([])
  })

  test('the browser gives the same verdict as the command for every kind of tampering', async () => {
    const page = await browser.newPage()
    await open(page)
    const script = await page.locator('script[src*="verify"]').getAttribute('src')
    const cases = [['none', '', VALID] as const, ...TAMPERED].map(([, , jwt, given]) => {
      return { jwt, keys: JWKS as unknown, rules: RULES as unknown, now: NOON, ...given }
    })
    const inPage = await page.evaluate(
      async ([url, all]) => {
        const { verifySnapshot } = await import(url as string)
        const verify = ({ jwt, keys, rules, now }: (typeof all)[0]) =>
          verifySnapshot(jwt, { keys: () => keys, rules: () => rules, now })
        return Promise.all(all.map(verify))
      },
      [script, cases] as const,
    )
    const here = await Promise.all(
      cases.map(({ jwt, keys, rules, now }) =>
        verifySnapshot(jwt, { keys: () => keys, rules: () => rules, now }),
      ),
    )
    expect(inPage).toEqual(here)
    expect(here.filter(({ verdict }) => verdict === 'valid')).toHaveLength(1)
  })

  test('without scripts, the page names the command that does the same', async () => {
    const page = await browser.newPageWithoutScripts()
    await open(page)
    expect(await page.locator('noscript').textContent()).toContain('This page needs JavaScript.')
    expect(await page.locator('noscript').isVisible()).toBe(true)
    expect(await page.locator('#check').isVisible()).toBe(false)
    expect(await page.locator('pre').textContent()).toEndWith('\npassportd verify score.jwt')
  })
})
