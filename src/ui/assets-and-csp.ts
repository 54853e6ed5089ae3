import canonicalJson from '../core/basics/canonical-json.ts?text' with { type: 'text' }
import { notFound } from '../core/basics/errors.ts'
import { hashOf } from '../core/basics/hash.ts'
import { pathOf } from '../core/http/parse-request.ts'
import { createPage, type RenderedPage, sendPage } from '../core/http/rendered-page.ts'
import { pageRoute, type RouteRequest, route, SERVICE } from '../core/http/route.ts'
import credential from '../core/passport/credential.ts?text' with { type: 'text' }
import points from '../core/scoring/points.ts?text' with { type: 'text' }
import compare from '../features/compare/compare.css' with { type: 'text' }
import passportScript from '../features/explorer/passport/passport.client.js' with { type: 'text' }
import passport from '../features/explorer/passport/passport.css' with { type: 'text' }
import sections from '../features/explorer/passport/passport-sections.css' with { type: 'text' }
import rankingScript from '../features/explorer/ranking/ranking.client.js' with { type: 'text' }
import ranking from '../features/explorer/ranking/ranking.css' with { type: 'text' }
import meScript from '../features/own-record/me.client.js' with { type: 'text' }
import verifyScript from '../features/proof/verify.client.js' with { type: 'text' }
import verifySnapshot from '../features/proof/verify-snapshot.ts?text' with { type: 'text' }
import referenceScript from '../features/reference/reference.client.js' with { type: 'text' }
import reference from '../features/reference/reference.css' with { type: 'text' }
import referenceCallsScript from '../features/reference/reference-calls.client.js' with { type: 'text' }
import referenceCodeScript from '../features/reference/reference-code.client.js' with { type: 'text' }
import referenceLayout from '../features/reference/reference-layout.css' with { type: 'text' }
import base from './assets/base.css' with { type: 'text' }
import charts from './assets/charts.css' with { type: 'text' }
import components from './assets/components.css' with { type: 'text' }
import pages from './assets/pages.css' with { type: 'text' }
import print from './assets/print.css' with { type: 'text' }
import shareScript from './assets/share.client.js' with { type: 'text' }
import themeScript from './assets/theme.client.js' with { type: 'text' }
import { FONT_FACE, LATIN_FONT, LATIN_FONT_PATH } from './fonts.ts'
import { type Theme, writeColors } from './tokens.ts'

export const file = (type: string, body: string, policy: string, status = 200): RenderedPage =>
  createPage(
    body,
    {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
    },
    status,
  )

/** Prevents caching by this service and by clients: the page is an error, or lacks a part for the moment. */
export const withoutCaching = (page: RenderedPage): RenderedPage => ({
  ...page,
  headers: { ...page.headers, 'Cache-Control': 'no-store' },
})

const writePolicy = (...directives: string[]) =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')

const OWN_FILES = ["script-src 'self'", "style-src 'self'", "font-src 'self'", "connect-src 'self'"]

/** Pages may load files and images of this service and call its API, nothing else. */
export const POLICY = {
  page: writePolicy(...OWN_FILES, "img-src 'self' data:", "form-action 'self'"),
  file: writePolicy('img-src data:', "form-action 'none'"),
}

export type PictureType = 'svg' | 'png' | 'json'

const CONTENT_TYPES: Record<PictureType, string> = {
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  json: 'application/json',
}

/** Image proxies keep a picture for this long, even if its passport is removed. */
const PUBLIC = 'public, max-age=60, s-maxage=300'

export const picture = (
  type: PictureType,
  body: string | Uint8Array<ArrayBuffer>,
  status = 200,
): RenderedPage =>
  createPage(
    body,
    {
      'Content-Type': CONTENT_TYPES[type],
      'Cache-Control': status === 200 ? PUBLIC : 'no-store',
      'Content-Security-Policy': POLICY.file,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
    status,
  )

/** One stylesheet for all pages except the reference, so that browsers fetch it once. */
const STYLE = compact(FONT_FACE, base, components, charts, ranking, pages, compare, passport, sections, print)

function compact(...styles: string[]): string {
  return styles
    .join('\n')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/ ?([{};,]|: )\s*/g, (separator) => separator.trim())
}

const minifier = new Bun.Transpiler({ loader: 'ts', minifyWhitespace: true })
const minify = (...scripts: string[]) => minifier.transformSync(scripts.join('\n'))

const withoutImports = (...modules: string[]) => modules.map((code) => code.replace(/^import .*$/gm, ''))

const FILES = {
  'share.js': minify(shareScript),
  'ranking.js': minify(shareScript, rankingScript),
  'me.js': minify(shareScript, meScript),
  'passport.js': minify(shareScript, passportScript),
  'reference.css': compact(reference, referenceLayout),
  'reference-calls.js': minify(shareScript, referenceCodeScript, referenceCallsScript),
  'search.js': minify(rankingScript),
  'theme.js': minify(themeScript),
  'verify.js': minify(...withoutImports(canonicalJson, credential, points, verifySnapshot), verifyScript),
  'reference.js': minify(shareScript, referenceCodeScript, referenceScript),
}

export type AssetName = keyof typeof FILES | 'style.css'

/** The stylesheet, scripts and fonts. The hash in each URL lets browsers keep a file forever. */
export function createAssets(accents: Record<Theme, string>) {
  const files = Object.entries({ ...FILES, 'style.css': writeColors(accents) + STYLE })
  const assets = new Map(
    files.map(([name, body]) => {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
      // `style.css` becomes `/assets/style.1a2b3c.css`.
      const url = `/assets/${name.replace('.', `.${hashOf(body)}.`)}`
      return [name, { url, page: file(type, body, POLICY.file) }]
    }),
  )
  return {
    urlOf: (name: AssetName) => assets.get(name)?.url as string,
    routes: [
      route(SERVICE, {
        path: '/assets/:file',
        name: 'page',
        async handle(request: RouteRequest<'file'>, context) {
          const asset = assets.get(request.params.file.replace(/\.\w+(?=\.\w+$)/, ''))
          if (!asset) throw notFound()
          const response = await sendPage(request, context, asset.page)
          // A URL with the hash of another release gets the file of this release, which clients must revalidate.
          if (asset.url === pathOf(request)) response.headers.set('Cache-Control', FOREVER)
          return response
        },
      }),
      pageRoute(LATIN_FONT_PATH, () => LATIN),
    ],
  }
}

const FOREVER = 'public, max-age=31536000, immutable'

const LATIN = createPage(LATIN_FONT, { 'Content-Type': 'font/woff2', 'Cache-Control': FOREVER })
