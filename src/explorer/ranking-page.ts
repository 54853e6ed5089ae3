import type { Catalog } from '../catalog/catalog.ts'
import { findPage } from '../catalog/find-page.ts'
import { parseKeyword } from '../domain/keyword.ts'
import { lastPage, parsePageRequest } from '../domain/page.ts'
import { type Passport, parsePassportRef } from '../domain/passport.ts'
import { count } from '../domain/text/format.ts'
import type { Store } from '../store/store.ts'
import {
  type ExplorerOptions,
  type ExplorerPage,
  type ExplorerRequest,
  file,
  POLICY,
} from './explorer-page.ts'
import { formatFigure } from './format.ts'
import { type Html, html } from './html.ts'
import { renderLayout } from './layout.ts'
import { addressOf, type Ranked, renderPager, renderRankingList } from './ranking-list.ts'
import { renderSearch } from './search-form.ts'
import { renderStart } from './start-page.ts'

const SIZE = '20'

/** All passports by score, or those whose name contains the search text. */
export const createRankingPage = (options: ExplorerOptions): ExplorerPage => ({
  version: ({ query }) => (parseKeyword(query.get('q')) === undefined ? '' : undefined),
  async render(request) {
    const found = await find(options, request)
    return file('text/html', found.all === 0 ? renderStart() : renderRanking(found), POLICY.explorer)
  },
})

type Found = Awaited<ReturnType<typeof find>>

/** `total` of `all` passports match; `first` is the position of the page's first one. */
async function find({ store, catalog }: ExplorerOptions, { query, signal }: ExplorerRequest) {
  const { page, size } = parsePageRequest(query.get('page'), SIZE)
  const text = (query.get('q') ?? '').trim()
  const keyword = parseKeyword(text)
  const typed = keyword === undefined ? '' : text
  const { total: known, scale } = await catalog.standing(0)
  const { items, total } = await search(store, catalog, { page, size, keyword, signal }, text)
  const ranked = await Promise.all(items.map((passport) => rank(catalog, passport)))
  const [first, last] = [(page - 1) * size + 1, lastPage(total, size)]
  const all = keyword === undefined ? total : Math.max(known, total)
  return { typed, page, first, last, total, all, scale, ranked }
}

/** Searches by name; without a match, by wallet or id. */
async function search(
  store: Store,
  catalog: Catalog,
  request: Parameters<Catalog['find']>[0],
  typed: string,
): Promise<{ items: readonly Passport[]; total: number }> {
  const found = await findPage({ catalog, store }, request, store.passports.listByIds)
  const ref = found.total === 0 ? parsePassportRef(typed) : undefined
  const passport = ref && (await store.passports.find(ref))
  if (passport) return { items: [passport], total: 1 }
  return found
}

async function rank(catalog: Catalog, passport: Passport): Promise<Ranked> {
  const { rank } = await catalog.standing(passport.scores.total)
  return { passport, rank }
}

function renderRanking(found: Found): string {
  const { typed, page, all } = found
  const main = html`<h1>${count(all, 'passport')}</h1>
<p class="lead">Ranked by score, the sum of activity, identity and skills.</p>
${renderSearch(typed)}
<p class="count" role="status" data-count>${describe(found)}</p>
<div data-results>
${renderResults(found)}
</div>`
  const title = typed === '' ? 'Passports by score' : `“${typed}” in passports`
  return renderLayout({
    title: page === 1 ? title : `${title}, page ${formatFigure(page)}`,
    description: `${count(all, 'passport')} by score: professional-reputation records of people`,
    script: '/ranking.js',
    here: '/',
    main,
  })
}

function renderResults({ typed, page, last, total, scale, ranked }: Found): Html {
  if (total === 0)
    return html`<p class="nothing">Try part of a name (accents and case are ignored), a complete wallet address, or a passport id. <a href="/">Show all passports</a></p>`
  if (page > last)
    return html`<p class="nothing">The list ends with page ${formatFigure(last)}. <a href="${addressOf(last, typed)}">Go to the last page</a></p>`
  return html`${renderRankingList(ranked, scale)}
${renderPager(page, last, typed)}`
}

function describe({ typed, page, first, last, total, all, ranked }: Found): string {
  if (total === 0) return `No passport found for “${typed}”`
  if (page > last) return `There is no page ${formatFigure(page)}.`
  if (typed === '')
    return last === 1 ? '' : `Passports ${formatFigure(first)} to ${formatFigure(first + ranked.length - 1)}`
  return `${formatFigure(total)} of ${count(all, 'passport')} for “${typed}”`
}
