import { expect, test } from 'bun:test'
import type { Store } from '../../../../src/core/store/store.ts'
import { inBrowser } from '../../../support/explorer/browser.ts'
import { readable, serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { createIndexClient } from '../../../support/index/local-index.ts'
import { onEngine, saveRecords } from '../../../support/store/engines.ts'
import { credential, NOON, record } from '../../../support/store/records.ts'

const DAY = 86_400_000

const person = (id: number, name: string, score: number) =>
  record(id, {
    profile: { displayName: name },
    credentials: [
      credential('github', { type: 'github', name: 'GitHub Developer', category: 'Skills', score }),
      credential('ens', { type: 'ens', name: 'ENS', category: 'Identity', score: 5 }),
    ],
    scores: { total: score + 5, skills: score, identity: 5 },
  })

/** In the last week, one score rises, one falls, and one person is new. Another score fell twenty days ago. */
async function fill(store: Store): Promise<void> {
  const save = (now: number, ...people: ReturnType<typeof person>[]) => saveRecords(store, people, { now })
  await save(
    NOON - 60 * DAY,
    person(1, 'Ada', 10),
    person(2, 'Bob', 21),
    person(3, 'Cleo', 9),
    person(4, 'Dan', 9),
  )
  await save(NOON - 20 * DAY, person(4, 'Dan', 2))
  await save(NOON - 3 * DAY, person(1, 'Ada', 14), person(2, 'Bob', 13), person(5, '<i>Eve & co</i>', 7))
}

onEngine('sqlite', 'movers', (open) => {
  test('the page lists rises, falls and new people of the last seven days, each with its causes', async () => {
    await using store = await open()
    await fill(store)
    await using server = serveExplorer(store)
    const { status, text } = await server.look('/movers')
    expect(status).toBe(200)
    const words = readable(text)
    expect(words).toMatch(/Rises 1 1 Ada GitHub Developer \+4, 10 to 14 .* &#9650; \+4 15 to 19/)
    expect(words).toMatch(/Falls 1 1 Bob GitHub Developer −8, 21 to 13 .* &#9660; −8 26 to 18/)
    expect(words).toMatch(/New people 1 &lt;i&gt;Eve.* GitHub Developer \+7 ENS \+5 12 \d+ \w+ \d{4}/)
    expect(text).toContain('&lt;i&gt;Eve &amp; co&lt;/i&gt;')
    expect(words).not.toMatch(/Cleo|Dan/)
    for (const part of [
      '<span class="rise"><',
      '<span class="fall"><',
      '<a href="#change">falls',
      '<h2 id="change">Falls',
    ])
      expect(text).toContain(part)
    expect(text).toMatch(/<a href="#-added">new people<\/a>.*<h2 id="-added">New people/s)
    expect(text).toContain('<a href="/movers" aria-current="page">Movers</a>')
    expect(text).toMatch(
      /<link rel="alternate" type="application\/atom\+xml" [^>]*href="\/movers\.atom\?days=7">/,
    )
  })

  test('days selects the period, and other values get 400 with those that are accepted', async () => {
    await using store = await open()
    await fill(store)
    await using server = serveExplorer(store)
    expect(readable((await server.look('/movers?days=30')).text)).toMatch(/Falls 2 1 Bob .* 2 Dan /)
    expect(readable((await server.look('/movers?days=1')).text)).toMatch(
      /Rises 0 No score rose in the last day\. Falls 0 No score fell /,
    )
    for (const path of ['/movers?days=2', '/movers.atom?days=x']) {
      const { status, text } = await server.look(path)
      expect([path, status]).toEqual([path, 400])
      expect(readable(text)).toMatch(/days must be one of 1, 7, 30, got /)
    }
  })

  test('the page shows 10 people of each list, and links longer lists to their own pages', async () => {
    await using store = await open()
    const people = Array.from({ length: 45 }, (_, at) => person(at + 1, `Nr${at}`, 10))
    await saveRecords(store, people, { now: NOON - 60 * DAY })
    // The scores of 43 people rise, those of three by the same number, and those of two fall.
    const riseOf = (id: number) => (id === 22 || id === 23 ? 24 : id)
    const changed = people.map(({ id }) => person(id, `Nr${id}`, id > 43 ? 1 : 10 + riseOf(id)))
    await saveRecords(store, changed, { now: NOON - 3 * DAY })
    await using server = serveExplorer(store)
    const first = await server.look('/movers')
    expect(readable(first.text)).toMatch(/Rises 1 to 10 of 43 1 Nr43 .* 10 Nr34 .* Falls 2 1 Nr44 .* 1 Nr45 /)
    expect(first.text).toContain('<a href="/movers?days=7&amp;sort=-change">More rises</a>')
    expect(first.text).not.toMatch(/More falls|class="pager"/)
    const rises = await server.look('/movers?sort=-change')
    // Equal changes have the same rank.
    expect(readable(rises.text)).toMatch(/Rises 43 .* 20 Nr22 .* 20 Nr23 .* 20 Nr24 .* 23 Nr21 .* 43 Nr1 /)
    expect(rises.text).not.toMatch(/More rises|Falls|Jump to/)
    expect(rises.text).toContain('<title>Rises of the last 7 days')
    expect((await server.look('/movers?sort=name')).status).toBe(400)
    expect(rises.text).toContain(
      '<a class="button quiet" href="/movers.atom?days=7&amp;sort=-change">Atom feed</a>',
    )
    const feed = await server.look('/movers.atom?sort=-change')
    expect(feed.text.match(/<entry>/g)).toHaveLength(43)
    const address = '/movers.atom?days=7&amp;sort=-change'
    expect(feed.text).toContain(`${address}</id>`)
    expect(feed.text).toContain(`${address}"/>`)
  })

  test('an empty database has no movers, and a list that is not ready responds 503', async () => {
    await using server = await servePeople([record(1)], {
      index: createIndexClient(),
    })
    const { status, headers } = await server.look('/movers')
    expect([status, headers.get('Retry-After')]).toEqual([503, '2'])
    await using store = await open()
    await using empty = serveExplorer(store)
    expect(readable((await empty.look('/movers')).text)).toMatch(
      /Rises 0 .* New people 0 Nobody is new in the last 7 days\./,
    )
  })
})

inBrowser('movers in a browser', (browser) => {
  test('the feed is well-formed Atom with an entry for each mover, the latest first', async () => {
    await using server = await servePeople([], { publicUrl: 'https://passports.example.com' })
    await fill(server.store)
    const { headers, text } = await server.look('/movers.atom?days=30')
    expect(headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8')
    const page = await browser.newPage()
    const feed = await page.evaluate((source) => {
      const document = new DOMParser().parseFromString(source, 'application/xml')
      const textOf = (parent: Element | undefined, name: string) =>
        [...(parent?.children ?? [])].find(({ localName }) => localName === name)?.textContent
      const linksOf = (parent: Element) =>
        [...parent.children]
          .filter(({ localName }) => localName === 'link')
          .map((link) => [link.getAttribute('rel'), link.getAttribute('href')])
      const root = document.documentElement
      const fieldsOf = (element: Element) => ({
        id: textOf(element, 'id'),
        title: textOf(element, 'title'),
        updated: textOf(element, 'updated'),
        links: linksOf(element),
        summary: textOf(element, 'summary'),
      })
      return {
        namespace: root.namespaceURI,
        author: textOf(root.querySelector('author') ?? undefined, 'name'),
        ...fieldsOf(root),
        entries: [...root.children].filter(({ localName }) => localName === 'entry').map(fieldsOf),
      }
    }, text)
    const origin = 'https://passports.example.com'
    const updated = new Date(NOON - 3 * DAY).toISOString()
    const entryOf = (id: number, title: string, summary: string, time = NOON - 3 * DAY) => ({
      id: `${origin}/passports/${id}#${time}`,
      title,
      updated: new Date(time).toISOString(),
      links: [['alternate', `${origin}/passports/${id}`]],
      summary,
    })
    expect(feed).toEqual({
      namespace: 'http://www.w3.org/2005/Atom',
      author: 'passportd',
      id: `${origin}/movers.atom?days=30`,
      title: 'Movers: passportd',
      updated,
      links: [
        ['self', `${origin}/movers.atom?days=30`],
        ['alternate', `${origin}/movers?days=30`],
      ],
      summary: undefined,
      entries: [
        entryOf(1, 'Ada: +4, 15 to 19', 'GitHub Developer +4, 10 to 14 (imported record)'),
        entryOf(2, 'Bob: −8, 26 to 18', 'GitHub Developer −8, 21 to 13 (imported record)'),
        entryOf(5, '<i>Eve & co</i>: 12, new', 'GitHub Developer +7; ENS +5'),
        entryOf(4, 'Dan: −7, 14 to 7', 'GitHub Developer −7, 9 to 2 (imported record)', NOON - 20 * DAY),
      ],
    })
  })

  test('on a phone, the causes of a change are below the name and have most of the width of the row', async () => {
    await using server = await servePeople([])
    await fill(server.store)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(new URL('/movers', server.url).href)
    const [row, name, score, causes] = await Promise.all(
      ['', '.name', '.score', '.who .detail'].map(async (part) => {
        const box = await page.locator(`.ranking li ${part}`.trim()).first().boundingBox()
        return box ?? { x: 0, y: 0, width: 0, height: 0 }
      }),
    )
    expect(causes?.width).toBeGreaterThan(0.75 * (row?.width ?? 0))
    expect(causes?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0))
    expect(causes?.y).toBeGreaterThanOrEqual((score?.y ?? 0) + (score?.height ?? 0))
  })
})
