import { parseKeyword } from '../domain/keyword.ts'
import { parsePageRequest } from '../domain/page.ts'
import { html } from './html.ts'
import { renderLayout } from './layout.ts'
import { type ExplorerOptions, file, type PageHandler, POLICY } from './page.ts'

/** All passports by score, a page at a time, or those whose name has a keyword in it. */
export function createRankingPage({ store }: ExplorerOptions): PageHandler {
  return async ({ query }) => {
    const { page } = parsePageRequest(query.get('page'), null)
    const keyword = parseKeyword(query.get('q'))
    const { items } = await store.passports.list({ page, size: 25, keyword })
    const main = html`<h1>Passports</h1>
<ol>${items.map(({ id, profile }) => html`<li><a href="/passports/${id}">${profile.displayName}</a></li>`)}</ol>`
    return file(
      'text/html',
      renderLayout({ title: 'Passports', description: 'Passports by score', here: '/', main }),
      POLICY,
    )
  }
}
