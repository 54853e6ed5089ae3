import { promisify } from 'node:util'
import { gzip, type ZlibOptions } from 'node:zlib'
import { type RenderedPage, sendPage } from '../../api/rendered-page.ts'
import { pathOf } from '../../api/request.ts'
import { type Route, type RouteRequest, route, SERVICE } from '../../api/route.ts'
import { notFound } from '../../domain/errors.ts'
import { hashOf } from '../../store/hash.ts'
import base from '../assets/base.css' with { type: 'text' }
import charts from '../assets/charts.css' with { type: 'text' }
import compare from '../assets/compare.css' with { type: 'text' }
import components from '../assets/components.css' with { type: 'text' }
import pages from '../assets/pages.css' with { type: 'text' }
import passportScript from '../assets/passport.client.js' with { type: 'text' }
import passport from '../assets/passport.css' with { type: 'text' }
import passportSections from '../assets/passport-sections.css' with { type: 'text' }
import print from '../assets/print.css' with { type: 'text' }
import rankingScript from '../assets/ranking.client.js' with { type: 'text' }
import ranking from '../assets/ranking.css' with { type: 'text' }
import referenceScript from '../assets/reference.client.js' with { type: 'text' }
import reference from '../assets/reference.css' with { type: 'text' }
import referenceJsonScript from '../assets/reference-json.client.js' with { type: 'text' }
import referenceLayout from '../assets/reference-layout.css' with { type: 'text' }
import { FONT_FACES, fontRoutes } from '../design/fonts.ts'
import { type Theme, writeColors } from '../design/tokens.ts'
import { file, POLICY } from './files.ts'

/** One stylesheet for all pages but the reference, fetched once. */
const STYLE = compact([
  FONT_FACES,
  base,
  components,
  charts,
  ranking,
  pages,
  compare,
  passport,
  passportSections,
  print,
])

/** Without comments and indentation. */
function compact(styles: readonly string[]): string {
  return styles
    .join('\n')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\n\s+/g, '\n')
}

/** Files that do not depend on settings. */
const FILES = {
  'ranking.js': { type: 'text/javascript', body: rankingScript },
  'passport.js': { type: 'text/javascript', body: passportScript },
  'reference.css': { type: 'text/css', body: compact([reference, referenceLayout]) },
  'reference.js': { type: 'text/javascript', body: `${referenceJsonScript}\n${referenceScript}` },
}

export type AssetName = keyof typeof FILES | 'style.css'

/** The stylesheet, scripts and fonts. The hash in each URL lets browsers keep a file forever. */
export function createAssets(accents: Record<Theme, string>) {
  const urls = new Map(Object.entries(FILES).map(([name, { body }]) => [name, hashedUrl(name, body)]))
  const style = writeColors(accents) + STYLE
  urls.set('style.css', hashedUrl('style.css', style))
  const files = { ...FILES, 'style.css': { type: 'text/css', body: style } }
  const pages = new Map(
    Object.entries(files).map(([name, { type, body }]) => [name, file(type, body, POLICY.file)]),
  )
  return {
    urlOf: (name: AssetName) => urls.get(name) as string,
    routes: [createRoute(urls, pages), ...fontRoutes()],
  }
}

const gzipAsync = promisify<string | Uint8Array, ZlibOptions, Buffer<ArrayBuffer>>(gzip)

/** Compressed once, on the first request, so the smallest size is worth its time. */
function compress({ compressed, body }: RenderedPage): void {
  compressed.gzip ??= gzipAsync(body, { level: 9 })
}

/** `style.css` becomes `/assets/style.1a2b3c.css`. */
const hashedUrl = (name: string, body: string | Uint8Array) =>
  `/assets/${name.replace('.', `.${hashOf(body)}.`)}`

const FOREVER = 'public, max-age=31536000, immutable'

/** A page of another release has other hashes: it gets the file of this release, which it must revalidate. */
const createRoute = (urls: ReadonlyMap<string, string>, pages: ReadonlyMap<string, RenderedPage>): Route =>
  route(SERVICE, {
    path: '/assets/:file',
    name: 'page',
    async handle(request: RouteRequest<'file'>, context) {
      const path = pathOf(request)
      const name = request.params.file.replace(/\.\w+(?=\.\w+$)/, '')
      const page = pages.get(name)
      if (!page) throw notFound()
      compress(page)
      const response = await sendPage(request, context, page)
      if (urls.get(name) === path) response.headers.set('Cache-Control', FOREVER)
      return response
    },
  })
