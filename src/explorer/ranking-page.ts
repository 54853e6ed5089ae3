import { parseKeyword } from '../domain/keyword.ts'
import { lastPage, parsePageRequest } from '../domain/page.ts'
import { type Passport, parsePassportRef } from '../domain/passport.ts'
import type { Store } from '../store/store.ts'
import { formatCount } from './figures.ts'
import { type Html, html } from './html.ts'
import { renderLayout } from './layout.ts'
import { type ExplorerOptions, file, type PageHandler, POLICY } from './page.ts'
import { addressOf, renderPager } from './pager.ts'
import { type Ranked, renderRankingList } from './ranking-list.ts'
import { renderSearch } from './search-form.ts'
import { renderStart } from './start-page.ts'
import { formatFigure } from './wording.ts'

/**
 * Passports on a page. With its headers it stays below 16 KiB: a longer answer that had to be waited for leaves Bun header by
 * header, each in a call of its own, which takes as long as the page.
 */
const SIZE = '20'

/** All passports by score, a page at a time, or those whose name has in it what was typed. */
export function createRankingPage({ store }: ExplorerOptions): PageHandler {
  return async ({ query, isGone }) => {
    const request = parsePageRequest(query.get('page'), SIZE)
    const typed = (query.get('q') ?? '').trim()
    const keyword = parseKeyword(typed)
    const { total: all, highest } = await store.passports.standing(0)
    if (all === 0) return file('text/html', renderStart(), POLICY)
    const { items, total } = await search(store, { ...request, keyword, isGone }, typed)
    const first = (request.page - 1) * request.size + 1
    const found: Found = {
      typed: keyword === undefined ? '' : typed,
      page: request.page,
      last: lastPage(total, request.size),
      first,
      total,
      all,
      highest,
      ranked: await rank(store, items, keyword === undefined ? first : undefined),
    }
    return file('text/html', renderRanking(found), POLICY)
  }
}

type Found = {
  typed: string
  page: number
  last: number
  /** Where on the list the page begins. */
  first: number
  /** How many there are to page through. */
  total: number
  all: number
  highest: number
  ranked: readonly Ranked[]
}

/** By name; what is in no name may be the wallet or the number of a passport. */
async function search(store: Store, request: Parameters<Store['passports']['list']>[0], typed: string) {
  const found = await store.passports.list(request)
  const ref = found.total === 0 ? parsePassportRef(typed) : undefined
  const passport = ref && (await store.passports.find(ref))
  return passport ? { items: [passport], total: 1 } : found
}

/**
 * Passports of one score share a rank. On the list of all, where the page begins at `first`, the rank of the next score
 * is its place; only that of the first is looked up, since its score may go on from the page before.
 */
async function rank(store: Store, passports: readonly Passport[], first?: number): Promise<Ranked[]> {
  const ranked: Ranked[] = []
  for (const [at, passport] of passports.entries()) {
    const { total } = passport.scores
    const before = ranked.at(-1)
    const known = before?.passport.scores.total === total ? before.rank : first && before && first + at
    ranked.push({ passport, rank: known ?? (await store.passports.standing(total)).rank })
  }
  return ranked
}

function renderRanking(found: Found): string {
  const { typed, page, all } = found
  const main = html`<h1>${formatCount(all, 'passport')}</h1>
<p class="lead">By score: the sum of activity, identity and skills.</p>
${renderSearch(typed)}
<p class="count" role="status" data-count>${describe(found)}</p>
<div data-results>
${renderResults(found)}
</div>`
  const title = typed === '' ? 'Passports by score' : `“${typed}” in passports`
  return renderLayout({
    title: page === 1 ? title : `${title}, page ${formatFigure(page)}`,
    description: `${formatCount(all, 'passport')} by score: professional-reputation records of people`,
    script: '/ranking.js',
    here: '/',
    main,
  })
}

function renderResults({ typed, page, last, total, highest, ranked }: Found): Html {
  if (total === 0)
    return html`<p class="nothing">Try a part of the name (accents and capitals do not matter), a whole wallet address, or the number of a passport. <a href="/">Show all passports</a></p>`
  if (page > last)
    return html`<p class="nothing">The list ends with page ${formatFigure(last)}. <a href="${addressOf(last, typed)}">Go to the last page</a></p>`
  return html`${renderRankingList(ranked, highest)}
${renderPager(page, last, typed)}`
}

function describe({ typed, page, first, last, total, all, ranked }: Found): string {
  if (total === 0) return `No passport for “${typed}”`
  if (page > last) return `There is no page ${formatFigure(page)}.`
  if (typed === '')
    return last === 1 ? '' : `Passports ${formatFigure(first)} to ${formatFigure(first + ranked.length - 1)}`
  return `${formatFigure(total)} of ${formatCount(all, 'passport')} for “${typed}”`
}
