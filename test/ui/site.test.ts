import { describe, expect, test } from 'bun:test'
import { contrast } from '../../src/core/basics/color-contrast.ts'
import {
  DEFAULT_SITE,
  PAPER,
  parseAccent,
  parseContact,
  parseSiteName,
} from '../../src/core/config/site-settings.ts'
import { createByteBudget } from '../../src/core/http/byte-budget.ts'
import type { Context, Route } from '../../src/core/http/route.ts'
import { serveExplorer, servePeople } from '../support/explorer/explorer-server.ts'
import { createSite, PALETTE } from '../support/explorer/site.ts'
import { serveRecords, shareServer } from '../support/http/server.ts'
import { ServiceError } from '../support/program/errors.ts'
import { openTestStore } from '../support/store/engines.ts'
import { ada, credential, named, PEOPLE } from '../support/store/records.ts'

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const ORIGIN = 'https://people.example'
const SETTINGS = {
  name: 'Guild of Kites',
  contact: 'mailto:privacy@example.com',
  privacyUrl: 'https://example.com/privacy',
  accent: '#6b2d5c',
  index: true,
}

describe('settings of the site', () => {
  test('an accent colour is refused if it is not readable on the light background', () => {
    expect(PAPER).toBe(PALETTE.light.ground)
    expect(parseAccent('#6B2D5C')).toBe('#6b2d5c')
    for (const text of ['#ffd166', '#888888', 'red', '#123', '#1234567', '6b2d5c', '#6b2d5c;}'])
      expect([text, parseAccent(text)]).toEqual([text, undefined])
  })

  test('the dark theme uses a variant of the accent colour that is readable on its background', () => {
    for (const accent of ['#000000', '#6b2d5c', '#1d6552', '#0000ff']) {
      const { dark } = createSite({ ...SETTINGS, accent }).site.accents
      expect(contrast(dark, PALETTE.dark.ground)).toBeGreaterThanOrEqual(7)
    }
  })

  test('a contact must be an email address or the URL of a web page', () => {
    expect(parseContact('a.b+c@example.com')).toBe('mailto:a.b+c@example.com')
    expect(parseContact('https://example.com/contact')).toBe('https://example.com/contact')
    for (const text of [
      'javascript:alert(1)',
      'a@b',
      'a b@example.com',
      'a@example.com?subject=x',
      '"@example.com',
    ])
      expect([text, parseContact(text)]).toEqual([text, undefined])
  })

  test('a name has at most 40 characters and no control characters', () => {
    expect(parseSiteName('Guild of Kites')).toBe('Guild of Kites')
    for (const text of ['x'.repeat(41), 'a\u202eb', 'a\nb', '<b>'])
      expect(parseSiteName(text)).toBeUndefined()
  })

  test('every page has the name, the links and the preview of the site', async () => {
    await using server = await servePeople(PEOPLE, { settings: SETTINGS, publicUrl: ORIGIN })
    for (const path of ['/', '/passports/7', '/passports/7/score', '/passports/4711']) {
      const { text } = await server.look(path)
      expect(text).toMatch(/<title>.+ · Guild of Kites<\/title>/)
      expect(text).toContain('href="mailto:privacy@example.com"')
      expect(text).toContain('href="https://example.com/privacy"')
      expect(text).toMatch(/<meta property="og:title" content=".+">/)
      expect(text).toMatch(
        /<meta property="og:image" content="https:\/\/people\.example\/card\/(site\.png|7\.png\?score=42\.5)">/,
      )
      expect(text).not.toContain('>passportd<')
    }
    const style = /href="(\/assets\/style[^"]+)"/.exec((await server.look('/')).text)?.[1] ?? ''
    expect(style).not.toBe(createSite().site.style.url)
    expect(createSite(SETTINGS).site.style.url).toBe(style)
    expect((await server.look('/badge/7.svg')).text).toContain('#6b2d5c')
    const icon = await server.look('/icon.svg')
    expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  })
})

describe('files of the site', () => {
  const server = shareServer(
    () => openTestStore('sqlite', PEOPLE),
    (store) => serveExplorer(store, { publicUrl: ORIGIN }),
  )

  test('an asset URL with the current hash is immutable; without a hash, or with another one, it is revalidated', async () => {
    const { text } = await server.look('/')
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] as string)
    expect(paths).toHaveLength(3)
    for (const path of paths) {
      const hashed = await server.look(path)
      expect(hashed.status).toBe(200)
      expect(hashed.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      for (const other of [path.replace(/\.\w+\./, '.'), path.replace(/\.\w+\./, '.0ld.')]) {
        const { status, headers, text } = await server.look(other)
        expect([status, headers.get('Cache-Control'), text]).toEqual([200, 'no-cache', hashed.text])
      }
    }
    for (const path of [
      '/assets/',
      '/assets/none.js',
      '/assets/toString',
      '/assets/..%2fstyle.css',
      '/style.css',
    ])
      expect((await server.look(path)).status).toBe(404)
  })

  test('robots.txt and sitemaps list the pages', async () => {
    const robots = (await server.look('/robots.txt')).text
    // The routes that test servers share have no public URL, so the address is that of the request.
    const address = `${server.url.origin}/sitemap.xml`
    expect(robots).toBe(`User-agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${address}\n`)
    const index = await server.look('/sitemap.xml')
    expect(index.headers.get('Content-Type')).toBe('application/xml; charset=utf-8')
    expect(index.text).toContain(`<loc>${ORIGIN}/sitemap/1.xml</loc>`)
    const { text } = await server.look('/sitemap/1.xml')
    for (const path of [
      '/',
      '/about',
      '/movers',
      '/credentials',
      '/reference',
      '/reference/v3',
      '/reference/v3/getPassportV3',
      '/credentials/github',
      '/credentials/kite',
      '/passports/7',
    ])
      expect(text).toContain(`<loc>${ORIGIN}${path}</loc>`)
    for (const path of text.matchAll(/<loc>[^<]*(\/reference\/[^<]*)</g))
      expect([path[1], (await server.look(path[1] ?? '')).status]).toEqual([path[1], 200])
    expect(() => Bun.XML.parse(text)).not.toThrow()
    for (const name of ['0.xml', '2.xml', 'x.xml', '1', '99999.xml'])
      expect((await server.look(`/sitemap/${name}`)).status).toBe(404)
  })

  test('while the index is not ready, a sitemap responds 503', async () => {
    const call = () => Promise.reject(new ServiceError('not_ready', 'The index is being built.'))
    await using server = await servePeople(PEOPLE, { publicUrl: ORIGIN, replace: () => ({ call }) })
    expect((await server.look('/sitemap/1.xml')).status).toBe(503)
  })

  test.each([
    ['/passports/7/score', '/passports/7/score', '/card/7.png?score=42.5'],
    [`/passports/${ada.mainWallet}/score?page=2`, '/passports/7/score', '/card/7.png?score=42.5'],
    ['/passports/7/credentials?page=1', '/passports/7/credentials', '/card/7.png?score=42.5'],
    ['/passports/7/credentials?x=y', '/passports/7/credentials', '/card/7.png?score=42.5'],
    ['/credentials/GitHub', '/credentials/github', '/card/site.png'],
    ['/?page=1&sort=-score', '/', '/card/site.png'],
    ['/compare?ids=12&ids=7', '/compare?ids=12,7', '/card/site.png'],
  ])('%s has the canonical address %s and the picture %s', async (path, canonical, card) => {
    const { status, text } = await server.look(path)
    expect(status).toBe(200)
    expect(text).toContain(`<link rel="canonical" href="${ORIGIN}${canonical}">`)
    expect(text).toContain(`<meta property="og:image" content="${ORIGIN}${card}">`)
    expect(text).toContain('<meta property="og:site_name" content="passportd">')
  })

  test('the metadata of a passport has its card and describes the score and the person in escaped text', async () => {
    const { text } = await server.look('/passports/7')
    const metadata = {
      'og:type': 'profile',
      'og:title': 'Ada Lovélace 🐉: passport score 42.5, Regular',
      'og:url': `${ORIGIN}/passports/7`,
      'og:image': `${ORIGIN}/card/7.png?score=42.5`,
      'og:image:type': 'image/png',
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': 'Ada Lovélace 🐉: passport score 42.5',
      'og:description':
        'First of &quot;them&quot; &lt;all&gt; London · math · poetry · activity 12, identity 10.25, skills 20.25 · human',
    }
    for (const [name, content] of Object.entries(metadata))
      expect(text).toContain(`<meta property="${name}" content="${content}">`)
    expect(text).toContain('<meta name="twitter:card" content="summary_large_image">')
  })

  test('further pages of credentials have canonical addresses of their own', async () => {
    const credentials = Array.from({ length: 80 }, (_, at) => credential(`c-${at}`, { type: `t${at}` }))
    await using server = await servePeople([{ ...ada, credentials }], { publicUrl: ORIGIN })
    const { text } = await server.look('/passports/7/credentials?page=2')
    expect(text).toContain(`<link rel="canonical" href="${ORIGIN}/passports/7/credentials?page=2">`)
    expect(text).toContain('<a href="/passports/7/credentials">First</a>')
  })

  test.each(['/deprecation', '/reference/v3', '/reference/v3/getRules'])(
    '%s has a canonical address and the card of the site at the host of the request',
    async (path) => {
      const { text } = await server.look(path)
      expect(text).toContain(`<link rel="canonical" href="${server.url.origin}${path}">`)
      expect(text).toContain(`<meta property="og:image" content="${server.url.origin}/card/site.png">`)
      expect(text).toContain('<meta property="og:site_name" content="passportd">')
    },
  )

  test('without the explorer, pages have no picture and robots.txt has no sitemap', async () => {
    await using server = await serveRecords()
    for (const path of ['/deprecation', '/reference/v3'])
      expect((await server.get(path)).text).not.toContain('og:image')
    const { routes } = createSite(DEFAULT_SITE, ORIGIN, false)
    expect(await readRobots(routes)).toBe('User-agent: *\nAllow: /\nDisallow: /api/\n')
  })

  test('a sitemap has at most 10,000 passports', async () => {
    const people = Array.from({ length: 10_001 }, (_, at) => named(at + 1, `Person ${at + 1}`, at))
    await using server = await servePeople(people, { publicUrl: ORIGIN })
    const count = async (path: string) => (await server.look(path)).text.match(/<loc>/g)?.length
    expect(await count('/sitemap.xml')).toBe(2)
    const others =
      (await server.look('/sitemap/1.xml')).text.match(/<loc>(?!.*\/passports\/\d)/g)?.length ?? 0
    expect(others).toBeGreaterThan(20)
    expect(await count('/sitemap/1.xml')).toBe(10_000 + others)
    expect(await count('/sitemap/2.xml')).toBe(1)
  })

  test('SITE_INDEX=false asks search engines to list nothing', async () => {
    await using server = await servePeople(PEOPLE, {
      settings: { ...DEFAULT_SITE, index: false },
      isIndexed: false,
      publicUrl: ORIGIN,
    })
    for (const path of ['/', '/passports/7', '/reference', '/card/7.svg'])
      expect((await server.look(path)).headers.get('X-Robots-Tag')).toBe('noindex')
    expect((await server.look('/sitemap.xml')).status).toBe(404)
    expect((await server.get('/api/v3/passports/7')).headers.has('X-Robots-Tag')).toBeFalse()
    const { routes } = createSite({ ...DEFAULT_SITE, index: false }, ORIGIN)
    expect(await readRobots(routes)).toBe('User-agent: *\nDisallow: /\n')
  })
})

async function readRobots(routes: readonly Route[]): Promise<string | undefined> {
  const request = Object.assign(new Request('http://x/robots.txt'), { params: {} })
  const context: Partial<Context> = { headers: new Headers(), budget: createByteBudget() }
  const robots = routes.find(({ path }) => path === '/robots.txt')
  return (await robots?.handle?.(request, context as Context))?.text()
}

describe('responses for browsers', () => {
  const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

  test.each(['/search', '/favicon.png', '/passport/7', '/apis'])(
    'an unknown path such as %s gets an HTML 404 in browsers, else JSON',
    async (path) => {
      const page = await server.look(path, BROWSER)
      expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.text).toContain('Page not found')
      for (const accept of ['*/*', 'application/json', '']) {
        const { status, headers } = await server.look(path, { headers: { Accept: accept } })
        expect([status, headers.get('Content-Type')]).toEqual([404, 'application/json'])
      }
    },
  )

  test.each(['/api/v3/nothing', '/api/v9/x', '/api/'])('browsers get JSON from %s', async (path) => {
    expect((await server.look(path, BROWSER)).headers.get('Content-Type')).toMatch(
      /^application\/(problem\+)?json$/,
    )
  })

  test('other origins can read pictures and the API, but not pages', async () => {
    const origins = async (path: string) =>
      (await server.look(path)).headers.get('Access-Control-Allow-Origin')
    for (const path of [
      '/',
      '/passports/7',
      '/passports/4711',
      '/reference',
      '/deprecation',
      '/assets/style.css',
    ])
      expect([path, await origins(path)]).toEqual([path, null])
    for (const path of [
      '/badge/7.svg',
      '/card/7.png',
      '/badge/7.json',
      '/api/v3/passports/7',
      '/openapi.json',
    ])
      expect([path, await origins(path)]).toEqual([path, '*'])
  })

  test('pages send a Referrer-Policy, a Cross-Origin-Opener-Policy and a Permissions-Policy without permissions', async () => {
    for (const path of ['/', '/passports/7', '/passports/4711', '/reference', '/deprecation']) {
      const { headers } = await server.look(path)
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin')
      expect(headers.get('Permissions-Policy')).toContain('geolocation=()')
    }
    expect((await server.look('/badge/7.svg')).headers.get('Referrer-Policy')).toBe('no-referrer')
  })
})
