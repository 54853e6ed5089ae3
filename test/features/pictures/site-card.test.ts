import { expect, test } from 'bun:test'
import type { SiteSettings } from '../../../src/core/config/site-settings.ts'
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

test('lists, comparisons, movers and credentials have the card of the site, and a share panel without a card', async () => {
  await using server = await serveCards([1, 2].map((id) => record(id, { profile: { tags: ['zk'] } })))
  for (const path of ['/', '/?filter=tag:zk', '/compare?ids=1,2', '/movers', '/credentials/github']) {
    const { text } = await server.look(path)
    expect(text).toContain('<meta property="og:image" content="https://passports.example.com/card/site.png">')
    expect(text).toContain('id="share"')
    expect(text).not.toContain('class="card"')
  }
  for (const card of ['list', 'compare', 'movers'])
    expect((await server.look(`/card/${card}.png`)).status).toBe(404)
})
