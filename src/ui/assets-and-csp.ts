import { notFound } from '../core/basics/errors.ts'
import { hashOf } from '../core/basics/hash.ts'
import { pathOf } from '../core/http/parse-request.ts'
import { createPage, type RenderedPage, sendPage } from '../core/http/rendered-page.ts'
import { pageRoute, type Route, type RouteRequest, route, SERVICE } from '../core/http/route.ts'
import base from './assets/base.css' with { type: 'text' }
import charts from './assets/charts.css' with { type: 'text' }
import components from './assets/components.css' with { type: 'text' }
import documents from './assets/documents.css' with { type: 'text' }
import pages from './assets/pages.css' with { type: 'text' }
import print from './assets/print.css' with { type: 'text' }
import searchScript from './assets/search.client.ts?text' with { type: 'text' }
import shareScript from './assets/share.client.ts?text' with { type: 'text' }
import themeScript from './assets/theme.client.ts?text' with { type: 'text' }
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

function compact(...styles: string[]): string {
  return styles
    .join('\n')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/ ?([{};,]|: )\s*/g, (separator) => separator.trim())
}

const minifier = new Bun.Transpiler({ loader: 'ts', minifyWhitespace: true })
const IMPORTS_AND_EXPORTS = /^import [^']*'.*'$|^export (?=const |function )/gm

/**
 * The files become one module, so their imports are removed, and exports that only they use. Tests import
 * `verifySnapshot`.
 */
const minify = (...scripts: string[]) =>
  minifier.transformSync(scripts.map((script) => script.replace(IMPORTS_AND_EXPORTS, '')).join('\n'))

/** A script or a style sheet. The hash in its URL lets browsers keep it forever. */
export type Asset = { name: string; url: string; page: RenderedPage }

function createAsset(name: string, type: string, body: string): Asset {
  // `style.css` becomes `/assets/style.1a2b3c.css`.
  const url = `/assets/${name.replace('.', `.${hashOf(body)}.`)}`
  return { name, url, page: file(type, body, POLICY.file) }
}

/** A script of several files. */
export const createScript = (name: string, ...scripts: string[]): Asset =>
  createAsset(name, 'text/javascript', minify(...scripts))

export const createStyle = (name: string, ...styles: string[]): Asset =>
  createAsset(name, 'text/css', compact(...styles))

/** Parts of the scripts of pages. */
export const PARTS = { share: shareScript, search: searchScript }

export const SHARE = createScript('share.js', shareScript)
export const SEARCH = createScript('search.js', searchScript)
export const THEME = createScript('theme.js', themeScript)

/** One style sheet for all pages, so that browsers fetch it once. `styles` are those of features. */
export const createSiteStyle = (accents: Record<Theme, string>, styles: readonly string[]): Asset =>
  createAsset(
    'style.css',
    'text/css',
    writeColors(accents) + compact(FONT_FACE, base, components, charts, pages, documents, ...styles, print),
  )

export function assetRoutes(all: readonly Asset[]): Route[] {
  const assets = new Map(all.map((asset) => [asset.name, asset]))
  return [
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
  ]
}

const FOREVER = 'public, max-age=31536000, immutable'

const LATIN = createPage(LATIN_FONT, { 'Content-Type': 'font/woff2', 'Cache-Control': FOREVER })
