import { describe, expect, test } from 'bun:test'
import type { Context } from '../../../src/api/route.ts'
import { DEFAULT_SITE, PAPER, parseAccent, parseContact, parseSiteName } from '../../../src/config/site.ts'
import { contrast } from '../../../src/domain/color-contrast.ts'
import { PALETTE } from '../../../src/explorer/design/tokens.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { named, PEOPLE } from '../../support/store/records.ts'

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
        /<meta name="twitter:image" content="https:\/\/people\.example\/card\/(site|7)\.png">/,
      )
      expect(text).not.toContain('>passportd<')
    }
    const style = /href="(\/assets\/style[^"]+)"/.exec((await server.look('/')).text)?.[1] ?? ''
    expect(style).not.toBe(createSite().site.urlOf('style.css'))
    expect(createSite(SETTINGS).site.urlOf('style.css')).toBe(style)
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
    expect(paths).toHaveLength(2)
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

  test.each([
    ['/favicon.ico', 32],
    ['/apple-touch-icon.png', 180],
  ])('%s is a PNG of %d pixels', async (path, size) => {
    const response = await fetch(server.url.origin + path)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect((await new Bun.Image(await response.bytes()).metadata()).width).toBe(size)
  })

  test('robots.txt and sitemaps list the pages', async () => {
    const robots = (await server.look('/robots.txt')).text
    // The Sitemap line is missing here, because the routes that test servers share have no public URL.
    expect(robots).toStartWith('User-agent: *\nAllow: /\nDisallow: /api/\n')
    const index = await server.look('/sitemap.xml')
    expect(index.headers.get('Content-Type')).toBe('application/xml; charset=utf-8')
    expect(index.text).toContain(`<loc>${ORIGIN}/sitemap/1.xml</loc>`)
    const { text } = await server.look('/sitemap/1.xml')
    expect(text).toContain(`<loc>${ORIGIN}/</loc>`)
    expect(text).toContain(`<loc>${ORIGIN}/passports/7</loc>`)
    expect(() => Bun.XML.parse(text)).not.toThrow()
    for (const name of ['0.xml', '2.xml', 'x.xml', '1', '99999.xml'])
      expect((await server.look(`/sitemap/${name}`)).status).toBe(404)
  })

  test('a sitemap has at most 10,000 passports', async () => {
    const people = Array.from({ length: 10_001 }, (_, at) => named(at + 1, '', at))
    await using server = await servePeople(people, { publicUrl: ORIGIN })
    const count = async (path: string) => (await server.look(path)).text.match(/<loc>/g)?.length
    expect(await count('/sitemap.xml')).toBe(2)
    expect(await count('/sitemap/1.xml')).toBe(10_001)
    expect(await count('/sitemap/2.xml')).toBe(1)
  })

  test('SITE_INDEX=false asks search engines to list nothing', async () => {
    await using server = await servePeople(PEOPLE, {
      settings: { ...DEFAULT_SITE, index: false },
      index: false,
      publicUrl: ORIGIN,
    })
    for (const path of ['/', '/passports/7', '/reference', '/card/7.svg'])
      expect((await server.look(path)).headers.get('X-Robots-Tag')).toBe('noindex')
    expect((await server.look('/sitemap.xml')).status).toBe(404)
    expect((await server.get('/api/v1/passports/7')).headers.has('X-Robots-Tag')).toBeFalse()
    const { routes } = createSite({ ...DEFAULT_SITE, index: false }, ORIGIN)
    const request = Object.assign(new Request('http://x/robots.txt'), { params: {} })
    const robots = await routes
      .find(({ path }) => path === '/robots.txt')
      ?.handle?.(request, { headers: new Headers() } as Context)
    expect(await robots?.text()).toBe('User-agent: *\nDisallow: /\n')
  })
})

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

  test.each(['/api/v1/nothing', '/api/v9/x', '/api/'])('browsers get JSON from %s', async (path) => {
    expect((await server.look(path, BROWSER)).headers.get('Content-Type')).toBe('application/json')
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
      '/api/v1/passports/7',
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
