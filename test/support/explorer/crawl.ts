/** The markup of pages by path. */
export type Pages = Map<string, string>

/**
 * Reads the pages of a site and all pages that they link, without the API, but at most `perKind` pages of each kind. Also reads the pages
 * of the sitemap, which has all passports. Throws if a link is broken.
 */
export async function crawl(origin: string, perKind: number): Promise<Pages> {
  const pages: Pages = new Map()
  const kinds = new Map<string, number>()
  const paths = new Set(['/', '/me', '/verify', ...(await readSitemap(origin))])
  for (const path of paths) {
    const kind = kindOf(path)
    const count = (kinds.get(kind) ?? 0) + 1
    if (count > perKind) continue
    kinds.set(kind, count)
    const markup = await readPage(origin, path)
    if (markup === undefined) continue
    pages.set(path, markup)
    for (const link of linksOf(markup)) paths.add(link)
  }
  return pages
}

/** Pages are of one kind if they have the same route and the same parameters. */
export function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://site')
  const route = pathname.replace(/^\/(passports|credentials)\/[^/]+/, '/$1/*')
  return [route, ...new Set(searchParams.keys())].sort().join(' ')
}

/** Returns the markup of a page; undefined for a picture, a feed or JSON. */
export async function readPage(origin: string, path: string): Promise<string | undefined> {
  const response = await fetch(origin + path, { headers: { Accept: 'text/html' } })
  const body = await response.text()
  if (!response.ok) throw new Error(`${path} responded ${response.status}`)
  return response.headers.get('content-type')?.startsWith('text/html') ? body : undefined
}

async function readSitemap(origin: string): Promise<string[]> {
  const sitemap = await (await fetch(`${origin}/sitemap/1.xml`)).text()
  return [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => toPath(url as string, origin))
}

const linksOf = (markup: string): string[] =>
  [...markup.matchAll(/<a [^>]*?href="(\/(?!api\/)[^"#]*)/g)].map(([, link]) =>
    toPath(link as string, 'http://site'),
  )

function toPath(link: string, origin: string): string {
  const { pathname, search } = new URL(link.replaceAll('&amp;', '&'), origin)
  return pathname + search
}
