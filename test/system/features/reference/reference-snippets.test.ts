import { describe, expect, test } from 'bun:test'
import { inBrowser } from '../../../support/explorer/browser.ts'
import { LANGUAGES, listCalls, runSnippets, withoutRequestId } from '../../../support/explorer/snippets.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { serveRecords, serveTest } from '../../../support/http/server.ts'
import { hasPrograms } from '../../../support/programs.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'

const NEEDED = ['curl', 'python3-requests'] as const

const openPeople = () => openTestStore('sqlite', inventPeople().slice(0, 50))

const sectionOf = (page: string) => page.split('<section ').find((part) => part.includes('data-path=')) ?? ''

describe('the snippets of the reference', () => {
  test.if(hasPrograms(...NEEDED))('run as they are, and all languages get the same response', async () => {
    await using store = await openPeople()
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const paths = await listCalls(server, 'v3')
    const pages = await Promise.all(paths.map((path) => server.get(path)))
    // Writes are left out, because each language would get another response.
    const sections = pages
      .map(({ text }) => sectionOf(text))
      .filter((each) => /data-method="GET"|id="lookUp"/.test(each) && !each.includes('data-bearer'))
    expect(sections.length).toBeGreaterThanOrEqual(6)
    const run = (language: string, key?: string) => {
      const codes = sections.map((section) => textOf(section, language))
      return runSnippets(language, codes, key)
    }
    const [first = [], ...others] = await Promise.all(LANGUAGES.map((language) => run(language, key)))
    expect(others).toEqual([first, first])
    expect(first).toHaveLength(sections.length)
    for (const body of first) expect(body).not.toMatchObject({ code: 'unauthorized' })
    // Without a key, reads respond, and a lookup is refused.
    const keyless = await Promise.all(LANGUAGES.map((language) => run(language)))
    for (const bodies of keyless) {
      expect(bodies).toContainEqual(expect.objectContaining({ passport_id: 42 }))
      expect(bodies).toContainEqual(expect.objectContaining({ code: 'unauthorized' }))
    }
  })
})

inBrowser('the snippets of a form', (browser) => {
  test.if(hasPrograms(...NEEDED))('send hostile values unchanged, in every language', async () => {
    await using store = await openPeople()
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const page = await browser.newPage()
    const parts = { keys: ['42'], as_of: null, other: [true, false, { '"\'': 'null' }] }
    const shown: unknown[] = []
    const codes = new Map<string, string[]>(LANGUAGES.map((language) => [language, []]))
    for (const [call, field, value] of [
      ['lookUp', 'body', JSON.stringify({ keys: HOSTILE, select: ['passport_id'] })],
      ['lookUp', 'body', JSON.stringify(parts)],
      ['listPassportsV3', 'q', HOSTILE.join(' ')],
      ['getPassportV3', 'key', HOSTILE.join(' ')],
    ] as const) {
      await page.goto(`${server.url}reference/v3/${call}`)
      const section = page.locator(`#${call}`)
      await page.fill('#api-key', key)
      await page.fill(`#${call}-${field}`, value)
      await section.getByRole('button', { name: 'Send request' }).click()
      await section.locator('[data-ok]').waitFor()
      shown.push(withoutRequestId(JSON.parse((await section.locator('[data-body]').textContent()) ?? '')))
      for (const [language, list] of codes)
        list.push((await section.locator(`pre[aria-label=${language}]`).textContent()) ?? '')
    }
    for (const [language, list] of codes) {
      // Only curl contains the key. The other languages read it from the environment.
      const isCurl = language === 'curl'
      expect(list.map((code) => code.includes(key))).toEqual(list.map(() => isCurl))
      expect(await runSnippets(language, list, isCurl ? undefined : key)).toEqual(shown)
    }
  })

  test('the page script leaves the snippets unchanged until the form changes', async () => {
    await using server = await serveRecords({}, [])
    const page = await browser.newPage()
    for (const path of await listCalls(server, 'v3')) {
      const { text } = await server.get(path)
      await page.goto(server.url.origin + path)
      await page.getByRole('button', { name: 'Show key' }).waitFor()
      for (const language of LANGUAGES) {
        const shown = await page.locator(`pre[aria-label=${language}]`).textContent()
        expect([path, shown]).toEqual([path, textOf(sectionOf(text), language)])
      }
    }
  })
})

const HOSTILE = ["it's", '$(id)`id`', '"quoted"', '\\back\\n', '%27 & #x', 'ж 😀', '\'\'\' """', '$KEY']

/** Returns the text of the snippet in this section. */
function textOf(section: string, language: string): string {
  const [, markup = ''] = section.split(`aria-label="${language}"><code>`)
  const text = markup.slice(0, markup.indexOf('</code>')).replace(/<[^>]+>/g, '')
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name) => entities[name] as string)
}
