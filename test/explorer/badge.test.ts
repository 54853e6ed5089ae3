import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { onEveryEngine, openTestStore } from '../support/engines.ts'
import { serveExplorer } from '../support/explorer.ts'
import { HOSTILE_NAMES } from '../support/hostile-names.ts'
import { findPictureFaults } from '../support/picture-faults.ts'
import { ADA_WALLET, GRACE_OLD_WALLET, NOON, named, PEOPLE, record } from '../support/records.ts'

const STYLES = ['flat', 'plain', 'large']

const titleOf = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1]
const wordsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1])

onEveryEngine('badges', (open) => {
  test('show the score, the human mark, and that a new score is on its way', async () => {
    await using store = await open(PEOPLE)
    await using server = serveExplorer(store)
    const ada = (await server.look('/badge/7.svg')).text
    expect(wordsOf(ada)).toEqual(['passport', '42.5…'])
    expect(ada).toContain('<circle')
    expect(titleOf(ada)).toBe('Passport score 42.5, known to be human, a new score is being worked out')
    const grace = (await server.look('/badge/3.svg')).text
    expect(wordsOf(grace)).toEqual(['passport', '42.5'])
    expect(grace).not.toContain('<circle')
    expect(titleOf(grace)).toBe('Passport score 42.5')
  })

  test('are found by id, by wallet in any case, and by what was merged', async () => {
    await using store = await open(PEOPLE)
    await using server = serveExplorer(store)
    const text = async (name: string) => (await server.look(`/badge/${name}.svg`)).text
    expect(await text(ADA_WALLET.toUpperCase().replace('0X', '0x'))).toBe(await text('7'))
    expect(await text(encodeURIComponent(ADA_WALLET).replace('a', '%61'))).toBe(await text('7'))
    expect(await text('900')).toBe(await text('3'))
    expect(await text(GRACE_OLD_WALLET)).toBe(await text('3'))
  })

  test('of passports that are not there say so, as a picture with status 404', async () => {
    await using store = await open(PEOPLE)
    await using server = serveExplorer(store)
    for (const name of ['8', '99999999999999999999', '0xnobody', '%', '%00', '.svg', 'x'.repeat(200)]) {
      for (const style of STYLES) {
        const response = await server.look(`/badge/${name}.svg?style=${style}`)
        expect([name, response.status]).toEqual([name, 404])
        expect(response.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
        expect(response.text).toContain('ot found</text>')
      }
    }
    expect(server.errors).toEqual([])
  })
})

describe('the answer with a badge', () => {
  test('may be kept but must be asked after, loads nothing, and is a 304 to whoever has it', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store)
    const first = await server.look('/badge/7.svg')
    expect(first.status).toBe(200)
    expect(first.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
    expect(first.headers.get('Cache-Control')).toBe('no-cache')
    expect(first.headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; img-src data:;")
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    expect((await server.look('/badge/7.svg', { headers })).status).toBe(304)
    expect((await server.look('/badge/7.svg?style=plain', { headers })).status).toBe(200)
    await store.passports.remove(7, NOON)
    expect((await server.look('/badge/7.svg', { headers })).status).toBe(404)
  })

  test('has no body to HEAD, and the same tag', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store)
    const head = await server.look('/badge/7.svg', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('ETag')).toBe((await server.look('/badge/7.svg')).headers.get('ETag'))
    expect(head.text).toBe('')
    expect((await server.look('/badge/8.svg', { method: 'HEAD' })).status).toBe(404)
  })

  test('differs by style; an unknown one is refused, with the names of those there are', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store)
    const bodies = await Promise.all(
      STYLES.map(async (style) => (await server.look(`/badge/7.svg?style=${style}`)).text),
    )
    expect(new Set(bodies).size).toBe(STYLES.length)
    expect((await server.look('/badge/7.svg?style=')).text).toBe(bodies[0] as string)
    for (const style of ['round', 'FLAT', 'toString', '__proto__', '<b>']) {
      const response = await server.look(`/badge/7.svg?style=${encodeURIComponent(style)}`)
      expect(response.status).toBe(400)
      const text = response.text
      expect(text).toContain('style must be one of flat, plain, large, got ')
      expect(text).not.toContain('<b>')
    }
  })

  test('names the person on the large badge alone', async () => {
    await using store = await openTestStore('sqlite', [named(1, 'Grace <Hopper>', 7), record(2)])
    await using server = serveExplorer(store)
    const large = (await server.look('/badge/1.svg?style=large')).text
    expect(wordsOf(large)).toEqual(['Grace &lt;Hopper&gt;', 'passport', '7'])
    expect(titleOf(large)).toBe('Grace &lt;Hopper&gt;: passport score 7')
    expect((await server.look('/badge/1.svg')).text).not.toContain('Grace')
    expect(wordsOf((await server.look('/badge/2.svg?style=large')).text)).toContain('Passport 2')
  })

  test('is well-formed and short, whatever the name and the score', async () => {
    const people = HOSTILE_NAMES.map((name, at) => named(at + 1, name, 10 ** at % 1e9))
    await using store = await openTestStore('sqlite', people)
    await using server = serveExplorer(store)
    for (const { id } of people) {
      for (const style of STYLES) {
        const svg = (await server.look(`/badge/${id}.svg?style=${style}`)).text
        expect(() => Bun.XML.parse(svg)).not.toThrow()
        expect(svg.length).toBeLessThan(4000)
        expect(svg).not.toMatch(
          /<script|<img|<style|style=|href|url\(|<foreignObject|[\u202a-\u202e\u2066-\u2069]/,
        )
      }
    }
  })
})

describe.if(hasBrowser)('badges in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  test('load as pictures, and keep all that they say inside their frame', async () => {
    const people = HOSTILE_NAMES.map((name, at) =>
      record(at + 1, {
        profile: { displayName: name },
        human: at % 2 === 0,
        stale: at % 3 === 0,
        scores: { total: [0, 87, 42.25, 123456.78, 1e9][at % 5] as number, activity: at, skills: 1e9 },
      }),
    )
    await using store = await openTestStore('sqlite', people)
    await using server = serveExplorer(store)
    const urls = [...people.map(({ id }) => id), 999].flatMap((id) =>
      STYLES.map((style) => `${server.url}badge/${id}.svg?style=${style}`),
    )
    expect(await findPictureFaults(browser, urls)).toEqual([])
  }, 30_000)
})
