import { describe, expect, test } from 'bun:test'
import type { BrowserContextOptions } from 'playwright-core'
import type { DataPoint } from '../../src/domain/data-point.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { rescoreSome } from '../../src/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import type { Store } from '../../src/store/store.ts'
import { inBrowser, watchConsole } from '../support/explorer/browser.ts'
import { readable, serveExplorer } from '../support/explorer/explorer-server.ts'
import { shareServer } from '../support/http/server.ts'
import { onEveryEngine, openTestStore } from '../support/store/engines.ts'
import { ADA_WALLET, credential, NOON, named, record } from '../support/store/records.ts'

const DAY = 86_400_000
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

/** Has some of everything. */
const mira = record(12, {
  scores: { total: 1042.5, activity: 1020, identity: 12.25, skills: 10.25 },
  human: true,
  connections: 17,
  mainWallet: ADA_WALLET,
  verifiedWallets: [ADA_WALLET, 'DemoSo1ana/With?Odd#Letters'],
  profile: {
    displayName: 'Mira Kettlewood',
    bio: 'Builds kites.',
    location: 'Lisbon',
    tags: ['builder', 'zk'],
  },
  socials: [
    {
      source: 'lens',
      name: 'mira',
      displayName: 'Mira K.',
      bio: 'Notes',
      location: '',
      url: 'https://example.com/lens/mira',
      imageUrl: 'https://example.com/lens/mira.png',
      followers: '1.2k',
      following: '12',
    },
  ],
  credentials: [
    credential('a', { name: 'Alpha', score: 4, maxScore: 8, value: 'FID: 7', earnedAt: NOON - 3 * DAY }),
    credential('b', { name: 'Beta', score: 8.25, maxScore: 10, earnedAt: NOON - 9 * DAY }),
    credential('c', { name: 'Gamma', score: 0, maxScore: 5 }),
    credential('d', { name: 'Delta', category: 'Skills', type: 'd', score: 10.25, maxScore: 40 }),
    credential('e', { name: 'Epsilon', category: 'Activity', type: 'e', score: 1020, maxScore: 2000 }),
    credential('f', { name: 'Zeta', category: 'Crafts', type: 'f', score: 3, maxScore: 4 }),
  ],
})

/** Three others with lower scores, one with a higher one. */
const OTHERS = [named(1, 'Ivo', 1500), named(2, 'Sana', 40), named(3, '', 2), named(4, 'Yara', 0)]

const newPoint = (store: Store, amount: number) => {
  const point: DataPoint = { type: 'github', account: '', value: { kind: 'number', amount }, display: '' }
  return store.records.save([{ kind: 'data-point', passport: { id: 12 }, point }], {
    now: NOON,
    restore: false,
  })
}
const rescore = (store: Store) =>
  rescoreSome({
    store,
    rules: DEFAULT_RULES,
    now: () => NOON,
    onFailure: (_, error) => expect(error).toBeUndefined(),
  })

onEveryEngine('the page of a passport', (open) => {
  const server = shareServer(() => open([mira, ...OTHERS]), serveExplorer)

  test('tells who it is, the score with its parts, the rank, and every credential', async () => {
    const { status, headers, text } = await server.look('/passports/12')
    expect(status).toBe(200)
    expect(headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; script-src 'self'")
    expect(text).not.toMatch(/<script>|<style|style=|onclick|<img(?! class="badge" src="\/badge\/12.svg")/)
    const words = readable(text)
    for (const part of [
      'Mira Kettlewood',
      'Checked to be human',
      'Lisbon',
      '17 connections',
      'Builds kites.',
      'builder zk',
      'Score 1,042.5',
      'Activity 1,020 Identity 12.25 Skills 10.25',
      '2nd of 5',
      'Higher than 60 % of passports.',
      'Identity 12.25 from 3 credentials',
      'Alpha FID: 7 4 of 8 2025-12-30 2026-01-02',
      'Gamma 0 of 5 &ndash; 2026-01-02',
      'Crafts counts toward no score Zeta 3 of 4',
      'How this score comes about 1,020 Activity + 12.25 Identity + 10.25 Skills = 1,042.5',
      `${ADA_WALLET} main`,
      'lens mira example.com Mira K. 1.2k followers 12 following Notes',
    ]) {
      expect(words).toContain(part)
    }
    expect(words).not.toContain('is being recalculated')
    const reasons = readable((await server.look('/passports/12/score')).text)
    expect(reasons).toContain('How the score of Mira Kettlewood comes about')
    expect(reasons).toContain('By rule set 2026-11 , from what is known now:')
    expect(reasons).toContain('Beta 8.25 in the record 8.25')
    expect(reasons).toContain('1,020 Activity + 12.25 Identity + 10.25 Skills = 1,042.5')
    expect(reasons).not.toContain('The score that is shown')
    // Highest score first in each category.
    expect(words.indexOf('Beta')).toBeLessThan(words.indexOf('Alpha'))
    expect(text).toContain(
      '<a href="https://example.com/lens/mira" rel="nofollow noopener noreferrer ugc"><bdi>mira</bdi></a>',
    )
  })

  test('is found by any wallet, and by the id of a passport that was merged into it', async () => {
    await using store = await open([mira, ...OTHERS])
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/12')
    expect((await server.look(`/passports/${ADA_WALLET.toUpperCase().replace('0X', '0x')}`)).text).toBe(text)
    expect((await server.look('/passports/DemoSo1ana%2FWith%3FOdd%23Letters')).text).toBe(text)
    await store.passports.merge(3, 12)
    const merged = readable((await server.look('/passports/3')).text)
    expect(merged).toContain('Mira Kettlewood')
    expect(merged).toContain('Passport 3 was merged into this one.')
  })

  test('of what is unknown or cannot be read is a page that says so', async () => {
    for (const path of [
      '/passports/99',
      '/passports/0xnobody',
      '/passports/%E0%A4',
      '/passports/9007199254740993',
    ]) {
      const { status, headers } = await server.look(path)
      expect([path, status]).toEqual([path, 404])
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    }
    expect(server.errors).toEqual([])
  })

  test('says that the score is being recalculated until it is', async () => {
    await using store = await open([mira])
    await newPoint(store, 900)
    await using server = serveExplorer(store)
    const before = await server.look('/passports/12')
    expect(before.text).toContain('id="recalculating"')
    expect(before.text).toContain('<noscript>Reload the page')
    await rescore(store)
    const after = await server.look('/passports/12', {
      headers: { 'If-None-Match': before.headers.get('ETag') ?? '' },
    })
    expect(after.status).toBe(200)
    expect(after.text).not.toContain('id="recalculating"')
    expect(readable(after.text)).toContain('Score 1,057.5')
    expect(readable((await server.look('/passports/12/score')).text)).toContain(
      'GitHub min(round(√900 × 0.5), 40) = 15 15',
    )
  })

  test('shows one of which nothing is known', async () => {
    await using store = await open([record(5)])
    await using server = serveExplorer(store)
    const words = readable((await server.look('/passports/5')).text)
    for (const part of [
      'Passport 5',
      'Not known to be human',
      'Score 0',
      '1st of 1',
      'No passport has a lower score.',
      'No credentials are known.',
    ]) {
      expect(words).toContain(part)
    }
  })

  test('shows how to call the API as long as it can be called, and with a key where one is needed', async () => {
    await using store = await open([mira])
    let state: 'open' | 'key required' | 'removed' = 'open'
    await using server = serveExplorer(store, { api: () => state })
    const lines = async () => {
      const { text } = await server.look('/passports/12')
      return {
        curl: /curl [^\n<]*/.exec(text)?.[0] ?? '',
        json: text.includes('href="/api/v1/passports/12"'),
      }
    }
    expect(await lines()).toEqual({ curl: expect.stringMatching(/^curl &#x27;http:/), json: true })
    state = 'key required'
    expect((await lines()).curl).toStartWith('curl -H &quot;X-API-KEY: $KEY&quot; ')
    state = 'removed'
    expect(await lines()).toEqual({ curl: '', json: false })
    expect(readable((await server.look('/passports/12')).text)).toContain('was removed: see how V1 ends')
  })

  test('says so where the rules come to another score than the one that is shown', async () => {
    await using store = await open([mira])
    const scores = { total: 1000, activity: 1000, identity: 0, skills: 0 }
    const explanation = { scores, lines: [], rules: 'other', caps: { Activity: 1000 } }
    await using server = serveExplorer(store, { explain: () => explanation })
    expect(readable((await server.look('/passports/12/score')).text)).toContain(
      'This comes to 1,000. The score that is shown, 1,042.5, is by',
    )
  })

  test('can be read where the reasons cannot be had', async () => {
    await using store = await open([mira])
    const explain = () => Promise.reject(new ServiceError('unavailable', 'The primary is away.'))
    await using server = serveExplorer(store, { explain })
    expect((await server.look('/passports/12')).status).toBe(200)
    expect((await server.look('/passports/12/score')).status).toBe(503)
    expect((await server.look('/passports/4711/score')).status).toBe(404)
    expect((await server.look('/passports/12/scores')).status).toBe(404)
  })
})

describe('what strangers write, on the page of a passport', () => {
  test('never becomes markup, a picture, or a link that is none', async () => {
    const social = { source: HOSTILE, name: HOSTILE, displayName: HOSTILE, bio: HOSTILE, location: HOSTILE }
    const more = { imageUrl: 'https://example.com/x.png', followers: HOSTILE, following: HOSTILE }
    const urls = [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a/"onx="',
      'https://u:p@example.com',
      '//a',
    ]
    await using store = await openTestStore('sqlite', [
      record(6, {
        profile: { displayName: HOSTILE, bio: HOSTILE, location: HOSTILE, tags: [HOSTILE] },
        mainWallet: HOSTILE,
        socials: urls.map((url) => ({ ...social, ...more, url })),
        credentials: [
          credential(HOSTILE, { type: HOSTILE, name: HOSTILE, category: HOSTILE, value: HOSTILE, score: 1 }),
        ],
      }),
    ])
    const point = {
      type: 'github',
      account: HOSTILE,
      value: { kind: 'flag' as const, amount: 1 },
      display: HOSTILE,
    }
    await store.records.save(
      ['', 'x'].map((more) => ({
        kind: 'data-point' as const,
        passport: { id: 6 },
        point: { ...point, account: HOSTILE + more },
      })),
      { now: NOON, restore: false },
    )
    await using server = serveExplorer(store)
    // The head has a block of data, in which nothing is markup.
    const text = (await server.look('/passports/6')).text.replace(
      /<script type="application[^<]*<\/script>/,
      '',
    )
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toMatch(/<script>|<img src|onerror='|rel="nofollow|href="(?:javascript|data:text|\/\/)/)
  })

  test('a name that cannot be seen gives way to the number', async () => {
    await using store = await openTestStore('sqlite', [named(8, ' \u200b\u2800\u3164 ')])
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/8')
    expect(text).toContain('<h1 dir="auto">Passport 8</h1>')
    expect(text).not.toContain('<span class="soft">Passport 8</span>')
  })

  test('lines to paste name the origin only where it is harmless', async () => {
    await using store = await openTestStore('sqlite', [mira])
    await using server = serveExplorer(store)
    const read = async (host: string) =>
      (await server.look('/passports/12', { headers: { Host: host } })).text
    const plain = await read('passports.example:8080')
    expect(plain).toContain('curl &#x27;http://passports.example:8080/api/v1/passports/12&#x27;')
    expect(plain).toContain(
      '[![Passport 12](http://passports.example:8080/badge/12.svg)](http://passports.example:8080/passports/12)',
    )
    expect(await read('[::1]:8080')).toContain('http://[::1]:8080/api')
    for (const host of ["a'$(id)'", 'a;id', 'a&b', 'a`b`', 'a)(b', 'a"b']) {
      expect([host, (await read(host)).includes('curl ')]).toEqual([host, false])
    }
    await using known = serveExplorer(store, { publicUrl: 'https://passports.example' })
    expect((await known.look('/passports/12', { headers: { Host: "a'b" } })).text).toContain(
      'curl &#x27;https://passports.example/api/v1/passports/12&#x27;',
    )
  })

  test('the page, its style and its script are small', async () => {
    await using store = await openTestStore('sqlite', inventPeople())
    await using server = serveExplorer(store)
    const sizes = await Promise.all(
      ['/passports/1', '/style.css', '/passport.js'].map(async (path) =>
        Buffer.byteLength((await server.look(path)).text),
      ),
    )
    expect(sizes[0]).toBeLessThan(30_000)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
  })
})

/** What reaches beyond the right edge, if anything. */
const TOO_WIDE = `[...document.querySelectorAll('main, main *')]
  .filter((part) => part.checkVisibility() && !part.closest('svg *, thead') && part.getBoundingClientRect().right > innerWidth)
  .map((part) => part.outerHTML.slice(0, 100))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['scrolls'] : [])`

inBrowser('the page of a passport in a browser', (browser) => {
  async function visit(url: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    })
    const page = await context.newPage()
    const complaints = watchConsole(page)
    // Who draws the badge is tested elsewhere.
    await page.route('**/badge/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    )
    await page.goto(url)
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
  }

  test('copies, sorts in place by keyboard and click, and breaks no rule of its policy', async () => {
    await using store = await openTestStore('sqlite', [mira, ...OTHERS])
    await using server = serveExplorer(store)
    await using visited = await visit(`${server.url}passports/${ADA_WALLET}`)
    const { page, complaints } = visited
    await page.getByRole('button', { name: 'Copy wallet' }).first().click()
    await page.getByRole('status').getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ADA_WALLET)
    await page.getByRole('button', { name: 'Copy command' }).first().click()
    await page.waitForFunction("navigator.clipboard.readText().then((text) => text.startsWith('curl'))")

    const names = () => page.locator('.credentials .identity th[scope=row] bdi').allTextContents()
    const sort = (name: string) => page.locator('.credentials thead').getByRole('button', { name })
    const sorted = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort')
    expect(await names()).toEqual(['Beta', 'Alpha', 'Gamma'])
    expect(await sorted('Score')).toBe('descending')
    await sort('Credential').focus()
    await page.keyboard.press('Enter')
    expect(await names()).toEqual(['Alpha', 'Beta', 'Gamma'])
    expect([await sorted('Credential'), await sorted('Score')]).toEqual(['ascending', null])
    await sort('Earned').click()
    expect(await names()).toEqual(['Alpha', 'Beta', 'Gamma'])
    await sort('Earned').click()
    expect(await names()).toEqual(['Beta', 'Alpha', 'Gamma'])
    await sort('Score').click()
    await sort('Score').click()
    expect(await names()).toEqual(['Gamma', 'Alpha', 'Beta'])
    expect(await sorted('Score')).toBe('ascending')
    expect(complaints).toEqual([])
  })

  test('a recalculation ends on the screen, and is announced', async () => {
    await using store = await openTestStore('sqlite', [mira])
    await newPoint(store, 900)
    await using server = serveExplorer(store)
    await using visited = await visit(`${server.url}passports/12`)
    const { page, complaints } = visited
    await page.getByText('The new one appears here by itself.').waitFor()
    await page.getByText('Line by line').click()
    await page.getByText('By rule set').waitFor()
    await page.evaluate('window.isSame = true')
    expect(await page.locator('#score .large').textContent()).toBe('1,042.5')
    await rescore(store)
    await page.getByRole('status').getByText('The new score is here: 1,057.5.').waitFor()
    expect(await page.locator('#score .large').textContent()).toBe('1,057.5')
    expect(await page.locator('#recalculating').count()).toBe(0)
    expect(await page.title()).toBe('Mira Kettlewood: 1,057.5')
    expect(await page.evaluate('window.isSame')).toBe(true)
    // What was open, focused and usable before is so again.
    expect(await page.locator('details').getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('how')
    expect(await page.getByRole('button', { name: 'Copy wallet' }).count()).toBe(2)
    expect(complaints).toEqual([])
  })

  test('reads without a script, from a phone to a wide screen, light and dark', async () => {
    const long = 'x'.repeat(300)
    const wide = record(13, {
      ...mira,
      id: 13,
      stale: true,
      mainWallet: long.slice(0, 120),
      verifiedWallets: [],
      profile: { displayName: long, bio: long, location: long, tags: [long] },
      socials: mira.socials.map((social) => ({ ...social, name: long, source: long, followers: long })),
      credentials: [credential('w', { name: long, value: long, category: long, earnedAt: NOON })],
    })
    await using store = await openTestStore('sqlite', [mira, wide])
    await using server = serveExplorer(store)
    for (const javaScriptEnabled of [false, true]) {
      await using visited = await visit(`${server.url}passports/13`, { javaScriptEnabled })
      const { page, complaints } = visited
      await page.locator('summary').click()
      for (const width of [320, 700, 1280]) {
        await page.setViewportSize({ width, height: 640 })
        expect([width, await page.evaluate(TOO_WIDE)]).toEqual([width, []])
      }
      expect(await page.getByRole('button').count()).toBe(javaScriptEnabled ? 9 : 0)
      expect(await page.locator('noscript').isVisible()).toBe(!javaScriptEnabled)
      const ground = () => page.evaluate("getComputedStyle(document.querySelector('#score')).backgroundColor")
      if (javaScriptEnabled) {
        const light = await ground()
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await ground()).not.toBe(light)
      }
      expect(complaints).toEqual([])
    }
  })
})
