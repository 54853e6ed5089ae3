import type { RenderedPage } from '../../api/rendered-page.ts'
import { ClientGone, type ErrorCode, ServiceError } from '../../domain/errors.ts'
import { html } from '../design/html.ts'
import { withoutCaching } from './assets-and-csp.ts'
import type { ExplorerOptions } from './explorer-page-types.ts'
import { renderSearch, respondPage } from './layout-and-link-previews.ts'
import type { Site } from './site.ts'

/** Renders a page that waits for `ready`. If that or the page takes too long, the page says so, with status 503. */
export async function whenReady(
  site: Site,
  address: string,
  ready: Promise<void> | undefined,
  render: () => Promise<RenderedPage>,
): Promise<RenderedPage> {
  try {
    await ready
    return await render()
  } catch (error) {
    if (!isCode(error, NOT_READY)) throw error
    const title = 'Filters are not ready yet'
    const main = html`<h1>${title}</h1>
<p class="lead">The service is preparing its index for filters, sorting and counts. The ranking and the search work meanwhile.</p>
<p><a class="button" href="${address}">Try again</a> <a href="/">All passports by score</a></p>
${renderSearch()}`
    const page = withoutCaching(respondPage({ site, title, description: title, main }, 503))
    return { ...page, headers: { ...page.headers, 'Retry-After': '2' } }
  }
}

/** Reads an optional part of a page. Returns `undefined` while it is unavailable, and after an error, which is logged. */
export async function ifReady<T>(
  { onError }: Pick<ExplorerOptions, 'onError'>,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClientGone) throw error
    if (!isCode(error, [...NOT_READY, 'overloaded'])) onError(error)
    return undefined
  }
}

/** Lists respond with these errors while the index is built and while the search thread starts. */
const NOT_READY: readonly ErrorCode[] = ['not_ready', 'unavailable']

export const isCode = (error: unknown, codes: readonly ErrorCode[]): boolean =>
  error instanceof ServiceError && codes.includes(error.code)
