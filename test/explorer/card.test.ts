import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { onEveryEngine, openTestStore } from '../support/engines.ts'
import { serveExplorer } from '../support/explorer.ts'
import { HOSTILE_NAMES } from '../support/hostile-names.ts'
import { findPictureFaults } from '../support/picture-faults.ts'
import { ADA_WALLET, ada, named, PEOPLE, record } from '../support/records.ts'

const wordsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1])

onEveryEngine('cards', (open) => {
  test('show the name, the score, its parts, its rank and the host', async () => {
    await using store = await open([{ ...ada, stale: false }, named(2, 'Beth', 50), named(3, 'Cleo', 1)])
    await using server = serveExplorer(store, { publicUrl: 'https://passports.example.com' })
    const svg = (await server.look('/card/7.svg')).text
    expect(wordsOf(svg)).toEqual([
      'Passport · human',
      'Ada Lovélace 🐉',
      '42.5',
      'Rank 2 of 3',
      'higher than 33\u00a0%',
      'Activity 12',
      'Identity 10.25',
      'Skills 20.25',
      'passports.example.com',
    ])
    expect(svg).toContain('<title>Ada Lovélace 🐉: passport score 42.5</title>')
    expect(svg).toContain('width="1200" height="630" viewBox="0 0 1200 630" role="img"')
    expect((await server.look(`/card/${ADA_WALLET}.svg`)).text).toBe(svg)
  })

  test('of passports that are not there say so, as a picture with status 404', async () => {
    await using store = await open(PEOPLE)
    await using server = serveExplorer(store)
    for (const name of ['8', '0xnobody', '%', '%00', 'x'.repeat(200)]) {
      const response = await server.look(`/card/${name}.svg`)
      expect(response.status).toBe(404)
      expect(response.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
      expect(response.text).toContain('There is no such passport')
    }
    expect(server.errors).toEqual([])
  })
})

describe('the answer with a card', () => {
  test('loads nothing, is a 304 to whoever has it, and has no body to HEAD', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store)
    const first = await server.look('/card/7.svg')
    expect(first.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
    expect(first.headers.get('Cache-Control')).toBe('no-cache')
    expect(first.headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; img-src data:;")
    const etag = first.headers.get('ETag') ?? ''
    const again = await server.look('/card/7.svg', { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
    const head = await server.look('/card/7.svg', { method: 'HEAD' })
    expect(head.headers.get('ETag')).toBe(etag)
    expect(head.text).toBe('')
  })

  test('tells while a new score is on its way, and shows an empty bar where there is none', async () => {
    await using store = await openTestStore('sqlite', [ada, record(12)])
    await using server = serveExplorer(store)
    expect((await server.look('/card/7.svg')).text).toContain('new score to come…')
    const nobody = (await server.look('/card/12.svg')).text
    expect(wordsOf(nobody)).toContain('Passport 12')
    expect(nobody).toContain('fill="#e9e4d9"')
    expect(nobody).not.toContain('higher than')
  })

  test('shows the host that was asked for, and none where that is not plain', async () => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = serveExplorer(store)
    const card = async (host: string) => (await server.look('/card/7.svg', { headers: { Host: host } })).text
    expect(wordsOf(await card('people.example:8080')).at(-1)).toBe('people.example:8080')
    for (const host of ['<b>', 'a"b', "a'b", 'user@host', 'a b', 'x'.repeat(300)])
      expect(wordsOf(await card(host)).at(-1)).toBe('')
  })

  test('is well-formed and short, whatever the name', async () => {
    const people = HOSTILE_NAMES.map((name, at) => named(at + 1, name, 10 ** at % 1e9))
    await using store = await openTestStore('sqlite', people)
    await using server = serveExplorer(store)
    for (const { id } of people) {
      const svg = (await server.look(`/card/${id}.svg`)).text
      expect(() => Bun.XML.parse(svg)).not.toThrow()
      expect(svg.length).toBeLessThan(6000)
      expect(svg).not.toMatch(
        /<script|<img|<style|style=|href|url\(|<foreignObject|[\u202a-\u202e\u2066-\u2069]/,
      )
    }
  })
})

describe.if(hasBrowser)('cards in a browser', () => {
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
        scores: { total: 10 ** (at % 10), activity: 1e9 / 3, identity: 1e9 / 3, skills: at * 1e8 },
      }),
    )
    await using store = await openTestStore('sqlite', people)
    await using server = serveExplorer(store, { publicUrl: `https://${'long.'.repeat(49)}example` })
    const urls = [...people.map(({ id }) => id), 999].map((id) => `${server.url}card/${id}.svg`)
    expect(await findPictureFaults(browser, urls)).toEqual([])
  }, 30_000)
})
