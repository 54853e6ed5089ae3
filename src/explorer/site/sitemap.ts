import type { Catalog } from '../../catalog/catalog.ts'
import { notFound } from '../../domain/errors.ts'
import { type Html, html } from '../design/html.ts'
import { file, POLICY } from './assets-and-csp.ts'
import type { ExplorerPage } from './explorer-page-types.ts'
import type { Site } from './site.ts'

/** The protocol allows 50,000 URLs in a file. A file of 10,000 has about 600 KB. */
const URLS_PER_FILE = 10_000
const MAX_FILES = 50_000

const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The index of the sitemap files, which list all passports, best first. */
export const createSitemapIndex = ({ catalog }: { catalog: Catalog }): ExplorerPage => ({
  version: () => '',
  async render({ site }) {
    const base = baseOf(site)
    const { total } = await catalog.standing(0)
    const files = Math.min(MAX_FILES, Math.max(1, Math.ceil(total / URLS_PER_FILE)))
    const entries = Array.from(
      { length: files },
      (_, at) => html`<sitemap><loc>${base}/sitemap/${at + 1}.xml</loc></sitemap>\n`,
    )
    return xml(html`<sitemapindex xmlns="${XMLNS}">\n${entries}</sitemapindex>\n`)
  },
})

/** The passports of one file, from the snapshot in memory. */
export const createSitemap = ({ catalog }: { catalog: Catalog }): ExplorerPage => ({
  version: () => '',
  async render({ site, params }) {
    const base = baseOf(site)
    const [, page = ''] = /^([1-9]\d{0,4})\.xml$/.exec(params.file ?? '') ?? []
    const end = Number(page) * URLS_PER_FILE
    const ids = Array.from((await catalog.current()).ids.subarray(end - URLS_PER_FILE, end))
    if (page === '' || (ids.length === 0 && page !== '1')) throw notFound()
    const start = page === '1' ? [html`<url><loc>${base}/</loc></url>\n`] : []
    const entries = ids.map((id) => html`<url><loc>${base}/passports/${id}</loc></url>\n`)
    return xml(html`<urlset xmlns="${XMLNS}">\n${start}${entries}</urlset>\n`)
  },
})

/** Sitemaps need absolute URLs, so they need an origin. */
function baseOf({ index, origin }: Site): string {
  if (!index || origin === '') throw notFound()
  return origin
}

const xml = ({ markup }: Html) =>
  file('application/xml', `<?xml version="1.0" encoding="UTF-8"?>\n${markup}`, POLICY.file)
