import { expect, test } from 'bun:test'
import { inBrowser, serveBlankPage } from '../support/explorer/browser.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { makeKey } from '../support/http/keys.ts'
import { openTestStore } from '../support/store/engines.ts'
import { PEOPLE } from '../support/store/records.ts'

type Reply = { status: number; requestId: string | null; body: unknown }

inBrowser('a page of another origin', (browser) => {
  test('reads the 404 of a missing path after a preflight, then V1 with a key', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store, { requireKey: true })
    const { key } = await makeKey(store, 1)
    await using site = serveBlankPage()
    const page = await browser.newPage()
    await page.goto(site.url.href)
    const get = (path: string, headers: Record<string, string>): Promise<Reply> =>
      page.evaluate(
        async ({ url, headers }) => {
          const response = await fetch(url, { headers })
          const requestId = response.headers.get('X-Request-Id')
          return { status: response.status, requestId, body: await response.json() }
        },
        { url: server.url.origin + path, headers },
      )
    for (const path of ['/api/v9/x', '/api/v1/nothing', '/nowhere', '//api/v9/x', '/passports/7/8']) {
      const { status, requestId, body } = await get(path, {
        'X-My-Header': 'yes',
        Accept: 'application/json',
      })
      expect(body).toEqual({ error: 'Resource not found.', code: 'not_found', request_id: requestId })
      expect(status).toBe(404)
    }
    expect(await get('//', { Accept: 'application/json' })).toMatchObject({ status: 406 })
    const wrong = await get('/api/v1/passports/7', { 'X-API-KEY': 'None' })
    expect(wrong).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    const right = await get('/api/v1/passports/7', { 'X-API-KEY': key })
    expect(right).toMatchObject({ status: 200, body: { passport: { passport_id: 7 } } })
  })
})
