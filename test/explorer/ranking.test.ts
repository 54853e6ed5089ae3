import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createFixedWindow } from '../../src/api/fixed-window.ts'
import { createLimiter } from '../../src/api/rate-limit.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { DEFAULT_TIERS, EXPLORER } from '../../src/domain/tier.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import type { Store } from '../../src/store/store.ts'
import { inBrowser, watchConsole } from '../support/explorer/browser.ts'
import { readable, serveExplorer } from '../support/explorer/explorer-server.ts'
import { shareServer } from '../support/http/server.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store/engines.ts'
import { ADA_WALLET, ada, NOON, named, PEOPLE, record } from '../support/store/records.ts'

/** The ranks, names and scores of a page, as its reader sees them. */
function rowsOf(text: string): string[] {
  const list = /<ol class="ranking"[\s\S]*?<\/ol>/.exec(text)?.[0] ?? ''
  return [...list.matchAll(/<li>[\s\S]*?<\/li>/g)].map(([row]) => {
    const [, rank] = /class="rank">.*?<\/span>([^<]+)/.exec(row) ?? []
    const [, name] = /<bdi>(.*?)<\/bdi><\/a>/.exec(row) ?? []
    const [, score] = /class="score">.*?<\/span>([^<]+)/.exec(row) ?? []
    return `${rank} ${name} ${score}`
  })
}

const linksOf = (text: string) =>
  [
    ...(/<nav class="pager"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '').matchAll(/href="([^"]+)"[^>]*>([^<]+)/g),
  ].map(([, address, words]) => `${words} ${address}`)

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => named(at + 1, `Person ${at + 1}`, 1000 - at))

onEveryEngine('the ranking', (open) => {
  const server = shareServer(() => open(PEOPLE), serveExplorer)

  test('lists passports by score, and those of one score share a rank', async () => {
    const { status, headers, text } = await server.look('/')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(rowsOf(text)).toEqual(['1 Grace Hopper 42.5', '1 Ada Lovélace 🐉 42.5', '3 Passport 12 0'])
    expect(text).toContain('<h1>3 passports</h1>')
    expect(text).toContain('<a href="/passports/7">')
    expect(text).toContain('aria-label="activity 12, identity 10.25, skills 20.25"')
    expect(text.match(/<svg class="human".*?aria-label="Checked to be human"/g)).toHaveLength(1)
    expect(text).toContain('<bdi>London</bdi><bdi>math</bdi><bdi>poetry</bdi>')
    expect(text).not.toMatch(/<script>|<style|style=|onclick/)
  })

  test('a score that goes on from the page before keeps its rank', async () => {
    const same = Array.from({ length: 30 }, (_, at) => named(at + 1, `Person ${at + 1}`, at === 0 ? 9 : 8))
    await using store = await open([...same, named(31, 'Person 31', 7)])
    await using server = serveExplorer(store)
    expect(rowsOf((await server.look('/?page=2')).text)).toEqual([
      ...[21, 22, 23, 24, 25, 26, 27, 28, 29, 30].map((id) => `2 Person ${id} 8`),
      '31 Person 31 7',
    ])
    expect(rowsOf((await server.look('/?q=31')).text)).toEqual(['31 Person 31 7'])
  })

  test('finds by name, whatever its accents, and keeps the ranks among all', async () => {
    const { text } = await server.look('/?q=LOVELACE')
    expect(rowsOf(text)).toEqual(['1 Ada Lovélace 🐉 42.5'])
    expect(readable(text)).toContain('1 of 3 passports for “LOVELACE”')
    expect(text).toContain('value="LOVELACE"')
  })

  test('finds by wallet and by number what is in no name', async () => {
    expect(rowsOf((await server.look(`/?q=${ADA_WALLET.toUpperCase().replace('0X', '0x')}`)).text)).toEqual([
      '1 Ada Lovélace 🐉 42.5',
    ])
    expect(rowsOf((await server.look('/?q=900')).text)).toEqual(['1 Grace Hopper 42.5'])
  })

  test('has 20 on a page, and links to the others that keep what was looked for', async () => {
    await using store = await open(many(60))
    await using server = serveExplorer(store)
    const first = await server.look('/?q=person')
    expect(rowsOf(first.text)).toHaveLength(20)
    expect(linksOf(first.text)).toEqual(['Next /?q=person&amp;page=2', 'Last /?q=person&amp;page=3'])
    const second = await server.look('/?page=2')
    expect(rowsOf(second.text)[0]).toBe('21 Person 21 980')
    expect(readable(second.text)).toContain('Passports 21 to 40')
    expect(readable(second.text)).toContain('Page 2 of 3')
    expect(linksOf(second.text)).toEqual(['First /', 'Previous /', 'Next /?page=3', 'Last /?page=3'])
    const last = await server.look('/?page=3')
    expect(rowsOf(last.text)).toHaveLength(20)
    expect(linksOf(last.text)).toEqual(['First /', 'Previous /?page=2'])
  })

  test('a full page goes out in one piece', async () => {
    await using store = await open(inventPeople())
    await using server = serveExplorer(store)
    for (const page of [1, 2, 25, 50]) {
      const { text, headers } = await server.look(`/?page=${page}`)
      const head = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
      expect(Buffer.byteLength(text) + head).toBeLessThan(16 * 1024)
    }
  })

  test('says so where nothing matches, and past the end', async () => {
    await using store = await open(many(30))
    await using server = serveExplorer(store)
    const nothing = await server.look('/?q=%3Cb%3Enobody')
    expect(nothing.status).toBe(200)
    expect(nothing.text).toContain('No passport for “&lt;b&gt;nobody”')
    expect(nothing.text).toContain('<a href="/">Show all passports</a>')
    const past = await server.look('/?page=9')
    expect(readable(past.text)).toContain('There is no page 9.')
    expect(past.text).toContain('<a href="/?page=2">Go to the last page</a>')
  })

  test('an empty database shows how to fill it', async () => {
    await using store = await open()
    await using server = serveExplorer(store)
    const { status, text } = await server.look('/?q=x')
    expect(status).toBe(200)
    for (const words of [
      'passportd import FILE',
      'npm run -s passportd -- import',
      'passportd mirror',
      'serve --demo',
    ])
      expect(text).toContain(words)
    expect(text).toContain('docs/records.md')
    expect(text).toContain('<a href="/reference">')
    await store.records.save([{ kind: 'passport', passport: ada }], { now: NOON, restore: false })
    expect(rowsOf((await server.look('/')).text)).toHaveLength(1)
  })

  test('is the same until something changes: a browser that has it gets 304', async () => {
    const { headers } = await server.look('/')
    const again = await server.look('/', { headers: { 'If-None-Match': headers.get('ETag') ?? '' } })
    expect(again.status).toBe(304)
  })
})

describe('the bars of the ranking', () => {
  test('never leave their line, whatever the parts add up to', async () => {
    const strange = record(1, { scores: { total: 5, activity: 900, identity: -40, skills: 0.333 } })
    await using store = await openTestStore('sqlite', [strange, record(2)])
    await using server = serveExplorer(store)
    const { text } = await server.look('/')
    const ends = [...text.matchAll(/<rect class="\w+"(?: x="([\d.]+)")? width="([\d.]+)"/g)].map(
      ([, x, width]) => Number(x ?? 0) + Number(width),
    )
    expect(ends).toHaveLength(6)
    expect(Math.max(...ends)).toBeLessThanOrEqual(100.01)
    expect(text).not.toMatch(/NaN|Infinity|width="-/)
  })
})

test('a slash at the end of an address makes no difference', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  await using server = serveExplorer(store)
  for (const path of ['/passports/7', '/passports/7/score', '/badge/7.svg', '/card/7.svg']) {
    const [plain, slashed] = [await server.look(path), await server.look(`${path}/`)]
    expect([path, slashed.status, slashed.text === plain.text]).toEqual([path, 200, true])
  }
})

test('of words without end, lists and pages show the beginning, and look no further', async () => {
  const late = `${'\u200d'.repeat(10_000)}too late`
  const tags = [late, ...Array<string>(200).fill('&'.repeat(20_000))]
  await using store = await openTestStore('sqlite', [record(1, { profile: { location: late, tags } })])
  await using server = serveExplorer(store)
  for (const target of ['/', '/passports/1']) {
    const { status, text } = await server.look(target)
    expect(status).toBe(200)
    expect(text).toContain('&amp;…<')
    expect(text).not.toContain('too late')
    expect(text.length).toBeLessThan(300_000)
  }
})

describe('error pages', () => {
  let store: TestStore
  beforeAll(async () => {
    store = await openTestStore('sqlite', PEOPLE)
  })
  afterAll(() => store[Symbol.asyncDispose]())

  const find = async (store: Store, target: string, options: Parameters<typeof serveExplorer>[1] = {}) => {
    await using server = serveExplorer(store, options)
    const { status, headers, text } = await server.look(target)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    if (status !== 200) expect(headers.get('Cache-Control')).toBe('no-store')
    return { status, headers, text: text.slice(text.indexOf('<main')) }
  }

  test('404 offers the search and the way back', async () => {
    const { status, text } = await find(store, '/passports/4711')
    expect(status).toBe(404)
    expect(text).toContain('There is nothing here')
    expect(text).toContain('<form class="search" action="/"')
    expect(text).toContain('<a href="/">All passports by score</a>')
  })

  test.each(['/passports', '/passports/', '/passports/7/8', '/badge/7', '/card/'])(
    '404 is a page below all folders of the explorer: %s',
    async (target) => {
      const { status, text } = await find(store, target)
      expect(status).toBe(404)
      expect(text).toContain('<form class="search" action="/"')
    },
  )

  test.each([
    ['/?page=abc', 'page must be a whole number from 1, got &quot;abc&quot;.'],
    ['/?page=0', 'page must be a whole number from 1, got &quot;0&quot;.'],
    [`/?q=${'x'.repeat(201)}`, 'at most 200 characters, got 201.'],
  ])('400 says what would do: %s', async (target, sentence) => {
    const { status, text } = await find(store, target)
    expect(status).toBe(400)
    expect(text).toContain(sentence)
  })

  test('414 is a page too, and says how long an address may be', async () => {
    for (const target of [`/?q=${'x'.repeat(9000)}`, `/passports/${'x'.repeat(9000)}`]) {
      const { status, text } = await find(store, target)
      expect(status).toBe(414)
      expect(text).toContain('at most 8192 characters')
    }
  })

  test('429 says when to come back', async () => {
    const tiers = DEFAULT_TIERS.map((tier) => (tier.name === EXPLORER ? { ...tier, requests: 1 } : tier))
    const now = () => NOON
    const limiter = createLimiter({ tiers, counter: createFixedWindow(now), now, isQuotaUsed: () => false })
    await find(store, '/', { limiter })
    const { status, headers, text } = await find(store, '/', { limiter })
    expect(status).toBe(429)
    expect(text).toContain(`try again in ${headers.get('Retry-After')} s.`)
  })

  test.each([
    [500, new Error('secret of ours'), 'Something went wrong on our side'],
    [503, new ServiceError('unavailable', 'secret of ours'), 'Back in a moment'],
  ])('%d is not the fault of the reader, and names the request', async (expected, error, title) => {
    const broken = {
      ...store,
      passports: {
        ...store.passports,
        listByIds() {
          throw error
        },
      },
    }
    const { status, headers, text } = await find(broken, '/')
    expect(status).toBe(expected)
    expect(text).toContain(title)
    expect(text).toContain('not your fault')
    expect(text).toContain(`<code>${headers.get('X-Request-Id')}</code>`)
    expect(text).not.toContain('secret')
  })
})

inBrowser('the ranking in a browser', (browser) => {
  const server = shareServer(
    () => openTestStore('sqlite', inventPeople().slice(0, 200)),
    (store) => serveExplorer(store),
  )

  const countOf = (page: Page) => page.locator('[data-count]').textContent()

  test('searches as one types, tells the count, and keeps the address', async () => {
    const page = await browser.newPage()
    const complaints = watchConsole(page)
    await page.goto(server.url.href)
    const all = await countOf(page)
    await page.getByRole('searchbox').pressSequentially('ada', { delay: 5 })
    await page.getByText(/for “ada”/).waitFor()
    expect(page.url()).toBe(`${server.url}?q=ada`)
    expect(await page.title()).toBe('“ada” in passports')
    expect(await page.locator('[role=status]').textContent()).toMatch(/^\d+ of 200 passports for “ada”$/)
    for (const name of await page.locator('.ranking a').allTextContents())
      expect(name.toLowerCase()).toContain('ada')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search')
    await page.getByRole('searchbox').fill('nobody at all')
    await page.getByText('No passport for “nobody at all”').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByText(all as string).waitFor()
    expect(page.url()).toBe(server.url.href)
    expect(complaints).toEqual([])
    await page.close()
  }, 30_000)

  test('an answer that comes late does not replace a newer one', async () => {
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
    await page.getByText(/for “ada”/).waitFor()
    letGo()
    await page.unrouteAll({ behavior: 'wait' })
    expect(await countOf(page)).toContain('for “ada”')
    expect(page.url()).toBe(`${server.url}?q=ada`)
    await page.close()
  }, 30_000)

  test('a search that is refused says why, and Enter tries it again', async () => {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    await page.route('**/?q=ada', (route) => route.abort(), { times: 1 })
    await page.getByRole('searchbox').fill('ada')
    await page.getByText('Press Enter to try again').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/for “ada”/).waitFor()
    await page.close()
  }, 30_000)

  test('works without a script: the form, the pages, the way to a passport', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(server.url.href)
    await page.getByRole('searchbox').fill('a')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**/?q=a')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.waitForURL('**/?q=a&page=2')
    expect(await page.locator('.at').textContent()).toMatch(/^Page 2 of \d+$/)
    await page.locator('.ranking li').first().click()
    await page.waitForURL('**/passports/*')
    await context.close()
  }, 30_000)

  test('the keyboard reaches all: past the header, the search, each passport', async () => {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to the content' })
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true)
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id)
    const seen: unknown[] = []
    for (let steps = 0; steps < 3; steps++) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    expect(seen).toEqual(['search', 'Search', await page.locator('.ranking a').first().textContent()])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/passports/*')
    await page.close()
  }, 30_000)

  test('fits 320 px and a wide screen, whatever a name is', async () => {
    const long = 'W'.repeat(150)
    const people = [
      record(1, {
        profile: { displayName: long, location: long, tags: [long, long] },
        human: true,
        scores: { total: 1e9 },
      }),
      ...many(60).slice(1),
    ]
    await using large = await openTestStore('sqlite', people)
    await using empty = await openTestStore('sqlite')
    await using full = serveExplorer(large)
    await using bare = serveExplorer(empty)
    const page = await browser.newPage()
    for (const width of [320, 2000]) {
      await page.setViewportSize({ width, height: 640 })
      for (const target of ['/', `/?q=${long}`, '/?page=9', `/?page=${long}`, '/passports/4711']) {
        await page.goto(full.url.origin + target)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
      await page.goto(bare.url.href)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    await page.close()
  }, 30_000)
})
