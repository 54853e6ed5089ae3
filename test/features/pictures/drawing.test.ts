import { expect, test } from 'bun:test'
import type { SiteSettings } from '../../../src/core/config/site-settings.ts'
import {
  createRasterizerClient,
  createRasterizerServer,
} from '../../../src/features/pictures/rasterizer-calls.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { ClientGone, expectRefusal, ServiceError } from '../../support/program/errors.ts'
import { DEFAULT_SITE } from '../../support/program/settings.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { named, PEOPLE, record } from '../../support/store/records.ts'

const SVG = 'image/svg+xml; charset=utf-8'

test('a picture request that gets a 404 or 429 receives an SVG, even if it asked for a PNG', async () => {
  await using server = await servePeople(PEOPLE, { tiers: 'pictures=1/10s' })
  for (const [path, expected] of [
    ['/card/99999.png', 404],
    ['/badge/7.svg', 429],
    ['/card/7.svg', 429],
    ['/card/7.png', 429],
  ] as const) {
    const { status, headers, text } = await server.look(path)
    const [type, caching] = [headers.get('Content-Type'), headers.get('Cache-Control')]
    expect([path, status, type, caching]).toEqual([path, expected, SVG, 'no-store'])
    expect(text).toMatch(expected === 404 ? /not found<\/text>/ : /busy<\/text>/)
    if (expected === 404) continue
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(headers.get('RateLimit-Policy')).toBe('"pictures";q=1;w=10')
  }
})

test('pages and pictures have separate rate limits', async () => {
  await using server = await servePeople(PEOPLE, { tiers: 'pictures=2/10s, explorer=1/10s' })
  const badges = Array<string>(3).fill('/badge/7.svg')
  const statuses: number[] = []
  for (const path of ['/', '/', ...badges]) statuses.push((await server.look(path)).status)
  expect(statuses).toEqual([200, 429, 200, 200, 429])
})

test.each([
  [500, new Error('secret of ours'), 'error'],
  [503, new ServiceError('unavailable', 'secret of ours'), 'busy'],
])('a picture responds with %d as a picture if the store fails', async (expected, error, words) => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const passports = { ...store.passports, find: () => Promise.reject(error) }
  await using server = serveExplorer({ ...store, passports })
  for (const path of ['/badge/7.svg', '/card/7.svg', '/card/7.png']) {
    const { status, headers, text } = await server.look(path)
    expect([path, status, headers.get('Content-Type')]).toEqual([path, expected, SVG])
    expect(text).toContain(`${words}</text>`)
    expect(text).not.toContain('secret')
  }
  const { status, text } = await server.look('/badge/7.json')
  expect([status, JSON.parse(text).message]).toEqual([expected, words])
})

test.each(['/badge/7', '/badge/7.gif', '/card/7.jpg', `/badge/${'x'.repeat(9000)}.svg`])(
  'an unknown type or a long name gets a picture: %p',
  async (path) => {
    await using server = await servePeople(PEOPLE)
    for (const accept of ['text/html', 'application/json', 'image/*']) {
      const { status, headers } = await server.look(path, { headers: { Accept: accept } })
      expect([status, headers.get('Content-Type')]).toEqual([path.length > 8192 ? 414 : 404, SVG])
    }
  },
)

const connect = (draw: (svg: string) => Uint8Array<ArrayBuffer>) => {
  const { port1, port2 } = new MessageChannel()
  createRasterizerServer(async () => draw).connect(port1)
  const client = createRasterizerClient({ waiting: 16, milliseconds: 60_000 })
  client.connect(port2)
  return client
}

test('the picture thread refuses further pictures while 16 are queued', async () => {
  const client = connect(() => new Uint8Array(1))
  const all = await Promise.allSettled(Array.from({ length: 30 }, (_, at) => client.rasterize('a', at)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(16)
  expect(all.at(-1)).toMatchObject({ reason: { code: 'overloaded' } })
  expect(await client.rasterize('later', 10)).toEqual(new Uint8Array(1))
})

test('the picture thread does not draw the picture of a client that has disconnected', async () => {
  const drawn: string[] = []
  const controller = new AbortController()
  const { signal } = controller
  const client = connect((svg) => {
    if (svg === 'a') controller.abort()
    return new Uint8Array(drawn.push(svg))
  })
  const [one, gone, other] = ['a', 'b', 'c'].map((svg) =>
    client.rasterize(svg, 10, svg === 'b' ? signal : undefined),
  )
  await expect(gone).rejects.toThrow(ClientGone)
  await expect(client.rasterize('d', 10, signal)).rejects.toThrow(ClientGone)
  await Promise.all([one, other])
  expect(drawn).toEqual(['a', 'c'])
})

test('the picture thread reports a failed drawing with its stack, and continues', async () => {
  const client = connect(function drawBadly(svg) {
    if (svg === 'bad') throw new Error('malformed')
    return new Uint8Array(1)
  })
  const error = await client.rasterize('bad', 10).catch((failure) => failure)
  expect([error.message, error.stack]).toEqual(['malformed', expect.stringContaining('drawBadly')])
  expect(await client.rasterize('good', 10)).toEqual(new Uint8Array(1))
})

test('a picture is rejected as overloaded if it is queued too long', async () => {
  const client = createRasterizerClient({ waiting: 1, milliseconds: 1 })
  client.connect(new MessageChannel().port2)
  await expectRefusal(client.rasterize('a', 10), 'overloaded')
})

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
