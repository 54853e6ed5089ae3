import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { verifySnapshot } from '../../../src/domain/proof/verify-snapshot.ts'
import { inBrowser, watchConsole } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { mira } from '../../support/explorer/sample-passport.ts'
import { shareServer } from '../../support/http/server.ts'
import { JWKS, RULES, signNow } from '../../support/proof/sample-snapshot.ts'
import { TAMPERED, VALID } from '../../support/proof/tampered-snapshots.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

const OTHER = 'https://other.example.com'

inBrowser('the page that checks a score, in a browser', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', [mira]), serveExplorer)

  /** Opens the page. Returns the paths that it fetches later. */
  async function open(page: Page, fragment = ''): Promise<string[]> {
    const fetched: string[] = []
    await page.route('**/.well-known/jwks.json', (route) => route.fulfill({ json: JWKS }))
    await page.route('**/api/v3/rules/*', (route) => route.fulfill({ json: RULES }))
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') fetched.push(request.url())
    })
    await page.goto('about:blank')
    await page.goto(`${server.url}verify${fragment}`)
    return fetched
  }

  const verdict = (page: Page) => page.locator('#verdict h2').textContent()

  test('a snapshot in the fragment is checked with the keys and rules of the site, and nothing is uploaded', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    const { origin } = server.url
    const fetched = await open(page, `#${signNow(origin)}`)
    expect(await verdict(page)).toBe('The snapshot is valid')
    expect(await page.locator('#verdict tr').allTextContents()).toEqual([
      'talk12.5 in the record, at most 2012.5',
      'github√9 × 6, at most 4018',
      'contractsln 7.5 × 10, at most 4020',
      'passport1 × 6, at most 406',
      'account1.5 years × 2.5, at most 404',
    ])
    expect(fetched).toEqual([`${origin}/.well-known/jwks.json`, `${origin}/api/v3/rules/sample%2B1a2b3c4d`])
    expect(complaints).toEqual([])
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
    await page.getByText('The snapshot is valid').waitFor()
    await page.getByLabel('Snapshot', { exact: true }).fill(signNow(OTHER, { score: 99 }))
    await check.click()
    await page.getByText('The snapshot is not valid: wrong_score').waitFor()
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
