import { expect, test } from 'bun:test'
import type { SiteSettings } from '../../../src/ui/site-settings.ts'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { DEFAULT_SITE } from '../../support/program/settings.ts'
import { named, record } from '../../support/store/records.ts'

/** Serves cards as SVG. */
const serveCards = (people: ReturnType<typeof named>[], settings: SiteSettings = DEFAULT_SITE) =>
  servePeople(people, {
    settings,
    publicUrl: 'https://passports.example.com',
    rasterize: async (svg) => new TextEncoder().encode(svg),
  })

const TEXT = /<text[^>]* font-size="([\d.]+)"[^>]*>([^<]*)<\/text>/g
const textsOf = (svg: string) =>
  [...svg.matchAll(TEXT)].map(([, size, text = '']) => ({ size: Number(size), text }))

test('the card of the site says what the site is, who runs it if that is known, and its name once', async () => {
  const read = async (settings: SiteSettings) => {
    await using server = await serveCards([named(1, 'Ada', 5), named(2, 'Grace', 4)], settings)
    expect((await server.look('/about')).text).toContain(
      `<meta property="og:image:alt" content="${settings.name}: public records of work, with a histogram of all scores">`,
    )
    const { text } = await server.look('/card/site.png')
    return textsOf(text).map((each) => each.text)
  }
  expect(await read(DEFAULT_SITE)).toEqual([
    'Public records of work',
    'Scores of 2 people, 0 to 5',
    'passportd',
    'passports.example.com',
  ])
  const settings = { ...DEFAULT_SITE, name: 'Harbor', owner: 'Harbor Guild 🐉' }
  expect(await read(settings)).toEqual([
    'Public records of work',
    'Scores of 2 people, 0 to 5. Run by Harbor Guild',
    'Harbor',
    'passports.example.com',
  ])
  const [, long = ''] = await read({ ...settings, owner: 'W'.repeat(100) })
  expect(long).toMatch(/^Scores of 2 people, 0 to 5\. Run by W+…$/)
})

test('the card of a comparison has names of the same size and scores of the same size', async () => {
  const people = [
    named(1, 'Ada', 5),
    named(2, 'Wilhelmina Featherstonehaugh-Lightfoot', 123_456.75),
    named(3, 'Grace Hopper', 40),
    named(4, 'Mira', 7),
  ]
  await using server = await serveCards(people)
  for (const ids of ['1,3', '1,2', '1,2,3,4']) {
    const texts = textsOf((await server.look(`/card/compare.png?ids=${ids}`)).text)
    const sizesOf = (pattern: RegExp) =>
      new Set(texts.filter(({ text }) => pattern.test(text)).map(({ size }) => size))
    expect(texts.map(({ text }) => text)).toContain('Ada')
    expect([ids, sizesOf(/^(Ada|Wil|Grace|Mira)/).size, sizesOf(/^[\d,.]+$/).size]).toEqual([ids, 1, 1])
    expect(Math.min(...sizesOf(/^Ada/))).toBeGreaterThanOrEqual(30)
  }
})

test('the card of four people names the first of them, and has their levels and a legend, and names that do not reach the bars', async () => {
  await using server = await serveCards([1, 2, 3, 4].map((id) => named(id, `Ada ${id}`, 100 * id)))
  const texts = textsOf((await server.look('/card/compare.png?ids=1,2,3,4')).text)
  for (const words of ['Comparison: Ada 4 leads', 'Advanced', 'Other'])
    expect(texts.map(({ text }) => text)).toContain(words)
  expect(Math.max(...texts.filter(({ text }) => /^Ada \d$/.test(text)).map(({ size }) => size))).toBe(40)
})

test('the card of the movers has the title of the page and its counts', async () => {
  await using server = await serveCards([named(1, 'Ada', 5)])
  for (const [query, title, words] of [
    ['', 'Movers of the last 7 days', '0 rises, 0 falls, 0 new passports'],
    ['?days=1&sort=change', 'Falls of the last day', '0 falls'],
  ] as const) {
    const page = await server.look(`/movers${query}`)
    expect(page.text).toContain(`alt="Card: ${title}"`)
    const [, card = ''] = /<img class="card" src="([^"]+)"/.exec(page.text) ?? []
    expect(page.text).toContain(`property="og:image" content="https://passports.example.com${card}"`)
    const texts = textsOf((await server.look(card.replaceAll('&amp;', '&'))).text).map(({ text }) => text)
    expect(texts.slice(0, 2)).toEqual([title, words])
  }
  expect((await server.look('/card/movers.png?days=8')).status).toBe(400)
})

test('the card of a list by a part of the score shows this part, with the score beside it', async () => {
  const scores = { total: 50, activity: 10, identity: 10, skills: 30 }
  await using server = await serveCards([record(1, { scores, profile: { displayName: 'Ada' } })])
  const texts = textsOf((await server.look('/card/list.png?score=>1&sort=skills')).text).map(
    ({ text }) => text,
  )
  expect(texts.slice(1, 6)).toEqual(['Skills, 2 January 2026', 'Ada', 'score 50', '30', 'Skills'])
})

test('a long title of a list has two lines on its card', async () => {
  const profile = { displayName: 'Ada', tags: ['solidity', 'researcher', 'zk'] }
  await using server = await serveCards([record(1, { scores: { total: 5 }, profile })])
  const texts = textsOf(
    (await server.look('/card/list.png?tag=solidity&tag=researcher&tag=zk&score=>1')).text,
  )
  expect(
    texts
      .slice(0, 2)
      .map(({ text }) => text)
      .join(' '),
  ).toBe('1 person tagged “researcher” and “solidity” and “zk” with a score over 1')
})

test('the card of a comparison shows the level of each person, bars on one scale, and the day of the scores', async () => {
  await using server = await serveCards([named(1, 'Ada', 200), named(2, 'Rūta', 100), named(3, 'Мира', 50)])
  for (const ids of ['1,2', '1,2,3']) {
    const { text } = await server.look(`/card/compare.png?ids=${ids}`)
    const texts = textsOf(text).map((each) => each.text)
    for (const words of ['Ada', 'Advanced', 'Rūta', 'Established', '200', '100'])
      expect(texts).toContain(words)
    expect(texts).toContainEqual(expect.stringMatching(/^Passport scores, \d+ [A-Z][a-z]+ \d{4}$/))
    expect(Math.min(...textsOf(text).map(({ size }) => size))).toBeGreaterThanOrEqual(36)
    const [track = 0, first = 0, , second = 0] = [
      ...text.matchAll(/<rect [^>]*width="([\d.]+)" height="[\d.]+" rx=/g),
    ].map(([, width]) => Number(width))
    expect([first, second]).toEqual([track, expect.closeTo(track / 2, 0)])
  }
})

test('a filtered list has a share panel, and a card with its first three people', async () => {
  const profile = (displayName: string) => ({ displayName, tags: ['zk'], location: 'Łódź' })
  const people = [5, 40, 30, 20].map((total, at) =>
    record(at + 1, { scores: { total }, profile: profile(`Person ${at + 1}`) }),
  )
  const settings = { ...DEFAULT_SITE, owner: 'Harbor Guild' }
  await using server = await serveCards([...people, named(9, 'Nobody', 99)], settings)
  const { text: page } = await server.look('/?tag=zk&place=%C5%81%C3%B3d%C5%BA')
  const card = '/card/list.png?tag=zk&amp;place=lodz'
  expect(page).toContain(`<meta property="og:image" content="https://passports.example.com${card}">`)
  expect(page).toContain('<meta property="og:title" content="4 people tagged “zk” in Łódź">')
  expect(page).toContain(`<img class="card" src="${card}"`)
  const texts = textsOf((await server.look(card.replace('&amp;', '&'))).text).map(({ text }) => text)
  expect(texts.slice(0, 2)).toEqual([
    'Top 3 of 4 people tagged “zk” in Łódź',
    expect.stringMatching(/^Passport scores, .+ \d{4}\. Run by Harbor Guild$/),
  ])
  expect(texts.filter((each) => /^Person/.test(each))).toEqual(['Person 2', 'Person 3', 'Person 4'])
  expect((await server.look('/')).text).toMatch(/id="share".*<img class="card" src="\/card\/list\.png"/s)
  expect((await server.look('/?tag=none')).text).not.toContain('id="share"')
  expect((await server.look('/card/list.png?tag=none')).status).toBe(404)
})
