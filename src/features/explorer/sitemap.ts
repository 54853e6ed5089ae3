import { notFound } from '../../core/basics/errors.ts'
import { isDocumented } from '../../core/http/route.ts'
import type { UseOfServer } from '../../feature.ts'
import { file, POLICY } from '../../ui/assets-and-csp.ts'
import { type Html, html } from '../../ui/html.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import { callPath, referencePath, type Site } from '../../ui/site.ts'
import { credentialAddress, LONGEST_VALUE } from '../../ui/text.ts'

/** The protocol allows 50,000 URLs in a file. A file of 10,000 has about 600 KB. */
const URLS_PER_FILE = 10_000

const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export const createSitemapIndex = ({ index }: Pick<ExplorerOptions, 'index'>): ExplorerPage => ({
  cacheKey: () => '',
  async render({ site }) {
    const base = baseOf(site)
    const { total } = await index.call('distribution', undefined)
    const files = Math.max(1, Math.ceil(total / URLS_PER_FILE))
    const entries = Array.from(
      { length: files },
      (_, at) => html`<sitemap><loc>${base}/sitemap/${at + 1}.xml</loc></sitemap>\n`,
    )
    return xml(html`<sitemapindex xmlns="${XMLNS}">\n${entries}</sitemapindex>\n`)
  },
})

/** The pages that the menu and the footer link, and those of the calls. */
function listPages({ api, site }: Pick<UseOfServer, 'api' | 'site'>): Set<string> {
  const calls = api.routes.filter(isDocumented).filter(({ surface }) => surface.usesKeys)
  return new Set([
    ...site.links.map(({ path }) => path).filter((path) => !path.includes('.')),
    ...calls.flatMap((call) => [referencePath(), referencePath(call.surface.tag.name), callPath(call)]),
  ])
}

/** The passports of one file, the highest score first. The first file also has the other pages and the credentials. */
export const createSitemap = (options: UseOfServer): ExplorerPage => ({
  cacheKey: () => '',
  async render({ site, params, signal }) {
    const base = baseOf(site)
    const [, page = ''] = /^([1-9]\d{0,4})\.xml$/.exec(params.file ?? '') ?? []
    const end = Number(page) * URLS_PER_FILE
    if (page === '') throw notFound()
    const sort = { field: 'score', descending: true } as const
    const list = { filter: [], sort, offset: end - URLS_PER_FILE, limit: URLS_PER_FILE }
    const groups = page === '1' ? [{ field: 'type' } as const] : []
    const { ids, groups: [types] = [] } = await options.index.call(
      'list',
      { request: { ...list, groups } },
      signal,
    )
    if (ids.length === 0 && page !== '1') throw notFound()
    const paths = [
      ...(page === '1' ? listPages(options) : []),
      ...(types?.groups ?? []).flatMap(({ value }) =>
        value === null || value.length > LONGEST_VALUE ? [] : credentialAddress(value),
      ),
      ...ids.map((id) => `/passports/${id}`),
    ]
    const entries = paths.map((path) => html`<url><loc>${base}${path}</loc></url>\n`)
    return xml(html`<urlset xmlns="${XMLNS}">\n${entries}</urlset>\n`)
  },
})

/** Sitemaps need absolute URLs, so they need an origin. */
function baseOf({ index, origin }: Site): string {
  if (!index || origin === '') throw notFound()
  return origin
}

const xml = ({ markup }: Html) =>
  file('application/xml', `<?xml version="1.0" encoding="UTF-8"?>\n${markup}`, POLICY.file)
