import { describe, expect, test } from 'bun:test'
import { renderSnippets } from '../../../src/explorer/reference/snippets.ts'
import { inventPeople } from '../../../src/ingest/demo/people.ts'
import { needPrograms } from '../../support/docs/programs.ts'
import { inBrowser } from '../../support/explorer/browser.ts'
import { LANGUAGES, runSnippet, withoutRequestId } from '../../support/explorer/snippets.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'

const NEEDED = ['curl', 'node', 'python3-requests']

describe('the snippets of the reference', () => {
  const { isSkipped, title } = needPrograms(
    NEEDED,
    'run as they are, and all languages get the same response',
  )
  test.skipIf(isSkipped).each(['/reference', '/reference/v3'])(
    `of %s ${title}`,
    async (path) => {
      await using store = await openTestStore('sqlite', inventPeople())
      await using server = serveTest(store)
      const { key } = await makeKey(store, 1)
      const sections = (await server.get(path)).text
        .split('<section ')
        .filter((part) => part.includes('data-path='))
      expect(sections.length).toBeGreaterThanOrEqual(3)
      for (const section of sections) {
        const codes = LANGUAGES.map((language) => textOf(section, language))
        const [first, ...others] = await Promise.all(
          codes.map((code, at) => runSnippet(LANGUAGES[at] as string, code, key)),
        )
        expect(others).toEqual([first, first])
        expect(first).not.toMatchObject({ code: 'unauthorized' })
      }
    },
    120_000,
  )

  test.skipIf(isSkipped)(
    'need no key where the endpoint needs none',
    async () => {
      await using store = await openTestStore('sqlite', inventPeople())
      await using server = serveTest(store)
      const section = (await server.get('/reference')).text
        .split('<section ')
        .find((part) => part.startsWith('id="getPassport"'))
      for (const language of LANGUAGES) {
        expect(await runSnippet(language, textOf(section ?? '', language))).toMatchObject({
          passport: { passport_id: 42 },
        })
      }
    },
    120_000,
  )

  test.skipIf(isSkipped)(
    'send no key if KEY is not set',
    async () => {
      const keys: (string | null)[] = []
      await using server = Bun.serve({
        port: 0,
        fetch({ headers }) {
          keys.push(headers.get('X-API-KEY'))
          return Response.json({})
        },
      })
      for (const body of [undefined, { keys: ['42'] }]) {
        const method = body === undefined ? 'GET' : 'POST'
        const { markup } = renderSnippets({ id: 'x', method, url: server.url.href, body })
        for (const language of LANGUAGES) await runSnippet(language, textOf(markup, language))
      }
      expect(keys.map((key) => key || null)).toEqual(Array(6).fill(null))
    },
    120_000,
  )
})

inBrowser('the snippets of a form', (browser) => {
  const { isSkipped, title } = needPrograms(NEEDED, 'send hostile values unchanged, in every language')
  test.skipIf(isSkipped)(
    title,
    async () => {
      await using store = await openTestStore('sqlite', inventPeople())
      await using server = serveTest(store)
      const { key } = await makeKey(store, 1)
      const page = await browser.newPage()
      await page.goto(`${server.url}reference/v3`)
      await page.fill('#api-key', key)
      const parts = { keys: ['42'], as_of: null, other: [true, false, { '"\'': 'null' }] }
      for (const [call, field, value] of [
        ['lookUp', 'body', JSON.stringify({ keys: HOSTILE, select: ['passport_id'] })],
        ['lookUp', 'body', JSON.stringify(parts)],
        ['listPassportsV3', 'q', HOSTILE.join(' ')],
        ['getPassportV3', 'key', HOSTILE.join(' ')],
      ] as const) {
        const section = page.locator(`#${call}`)
        await page.fill(`#${call}-${field}`, value)
        await section.getByRole('button', { name: 'Send request' }).click()
        await section.locator('[data-ok]').waitFor()
        const shown = withoutRequestId(JSON.parse((await section.locator('[data-body]').textContent()) ?? ''))
        for (const language of LANGUAGES) {
          const code = (await section.locator(`pre[aria-label=${language}]`).textContent()) ?? ''
          expect(code).not.toContain(key)
          expect(await runSnippet(language, code, key)).toEqual(shown)
        }
      }
      await page.close()
    },
    120_000,
  )

  test('are the same from the script and the server until the form changes', async () => {
    await using store = await openTestStore('sqlite')
    await using server = serveTest(store)
    const page = await browser.newPage()
    for (const path of ['reference', 'reference/v3']) {
      const { text } = await server.get(`/${path}`)
      await page.goto(server.url + path)
      await page.getByRole('button', { name: 'Show key' }).waitFor()
      for (const language of LANGUAGES) {
        const shown = await page
          .locator(`form >> xpath=ancestor::section >> pre[aria-label=${language}]`)
          .allTextContents()
        const sections = text.split('<section ').filter((part) => part.includes('data-path='))
        expect(shown).toEqual(sections.map((section) => textOf(section, language)))
      }
    }
    await page.close()
  }, 120_000)
})

const HOSTILE = ["it's", '$(id)`id`', '"quoted"', '\\back\\n', '%27 & #x', 'ж 😀', '\'\'\' """', '$KEY']

/** The text of the snippet in this part of the page. */
function textOf(section: string, language: string): string {
  const [, markup = ''] = section.split(`aria-label="${language}"><code>`)
  const text = markup.slice(0, markup.indexOf('</code>')).replace(/<[^>]+>/g, '')
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name) => entities[name] as string)
}
