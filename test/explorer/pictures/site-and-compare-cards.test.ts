import { expect, test } from 'bun:test'
import { DEFAULT_SITE, type SiteSettings } from '../../../src/config/site.ts'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { named } from '../../support/store/records.ts'

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
    expect((await server.look('/')).text).toContain(
      `<meta property="og:image:alt" content="${settings.name}: people ranked by score">`,
    )
    const { text } = await server.look('/card/site.png')
    return textsOf(text).map((each) => each.text)
  }
  expect(await read(DEFAULT_SITE)).toEqual([
    'Passport scores',
    '2 people, ranked by score',
    'passportd',
    'passports.example.com',
  ])
  const settings = { ...DEFAULT_SITE, name: 'Harbor', owner: 'Harbor Guild 🐉' }
  expect(await read(settings)).toEqual([
    'Passport scores',
    '2 people, ranked by score. Run by Harbor Guild',
    'Harbor',
    'passports.example.com',
  ])
  const [, long = ''] = await read({ ...settings, owner: 'W'.repeat(100) })
  expect(long).toMatch(/^2 people, ranked by score\. Run by W+…$/)
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
