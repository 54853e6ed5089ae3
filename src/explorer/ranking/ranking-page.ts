import type { RenderedPage } from '../../api/rendered-page.ts'
import { count } from '../../domain/text/format.ts'
import {
  type ExplorerOptions,
  type ExplorerPage,
  type ExplorerRequest,
  file,
  POLICY,
} from '../explorer-page.ts'
import { formatFigure } from '../format.ts'
import { type Html, html } from '../html.ts'
import { renderLayout } from '../layout.ts'
import { shareList } from '../pictures/social-meta.ts'
import { shortWord } from '../sanitize.ts'
import type { Site } from '../site/site.ts'
import { renderChips, renderFacets, renderSorts, renderSuggestions } from './facet-list.ts'
import { createFacetReader, type FacetReader, type Facets } from './facets.ts'
import { type FoundRanking, findRanking } from './find-ranking.ts'
import { createHomeFacets, type HomeFacets } from './home-facets.ts'
import { whenReady } from './not-ready.ts'
import { renderPager, renderRankingList } from './ranking-list.ts'
import {
  ALL_PASSPORTS,
  addressOf,
  type FilterName,
  filtersOf,
  needsIndex,
  PAGE_SIZE,
  parseRankingQuery,
  type RankingQuery,
} from './ranking-query.ts'
import { renderSearch } from './search-form.ts'
import { renderStart } from './start-page.ts'

/** All passports by score, or those that a search and filters find. */
export function createRankingPage(options: ExplorerOptions): ExplorerPage {
  const facets = createFacetReader(options)
  const homeFacets = createHomeFacets(options.catalog, () => facets.readAll(ALL_PASSPORTS))
  const context = { ...options, facets, homeFacets }
  return {
    async version(request) {
      const query = parseRankingQuery(request.query)
      if (query.typed !== '') return undefined
      return needsIndex(query) ? (await options.rules()).stamp : String((await homeFacets()).revision)
    },
    render(request) {
      const query = parseRankingQuery(request.query)
      const render = () => renderRanking(context, query, request)
      return needsIndex(query) ? whenReady(request.site, addressOf(query), render) : render()
    },
  }
}

type PageContext = ExplorerOptions & { facets: FacetReader; homeFacets: HomeFacets }

async function renderRanking(
  context: PageContext,
  query: RankingQuery,
  { site, signal }: ExplorerRequest,
): Promise<RenderedPage> {
  const found = await findRanking(context, query, signal)
  if (found.all === 0) return file('text/html', renderStart(site), POLICY.explorer)
  const facets = await findFacets(context, query, signal)
  const labels = await findLabels(context, query)
  return file('text/html', renderPage(site, found, facets, labels), POLICY.explorer)
}

/** A filtered list has facets of its own. A search shows those of all passports. */
async function findFacets(
  { facets, homeFacets }: PageContext,
  query: RankingQuery,
  signal: AbortSignal,
): Promise<Facets | undefined> {
  return needsIndex(query) ? facets.readAll({ ...query, page: 1 }, signal) : (await homeFacets()).facets
}

type Labels = ReadonlyMap<string, string>

/** How to write the filters of a list; their text in the URL may be folded. */
async function findLabels({ facets }: PageContext, { filters }: RankingQuery): Promise<Labels> {
  const labels = filtersOf(filters).map(
    async ([name, value]): Promise<[string, string]> => [value, await facets.labelOf(name, value)],
  )
  return new Map(await Promise.all(labels))
}

const labelIn = (labels: Labels) => (_name: FilterName, value: string) => labels.get(value) ?? value

function renderPage(site: Site, found: FoundRanking, facets: Facets | undefined, labels: Labels): string {
  const { query, all } = found
  const title = describeList(query, labels)
  // A search replaces the results without the heading.
  const heading = describeList({ ...query, typed: '' }, labels)
  return renderLayout({
    site,
    share: { path: addressOf(query), ...shareList(title, found) },
    title: query.page === 1 ? title : `${title}, page ${formatFigure(query.page)}`,
    description: `${count(all, 'passport')} with scores for activity, identity and skills. Search people, filter by tag, place and credential, and compare them.`,
    script: 'ranking.js',
    here: '/',
    main: html`${isFiltered(query) ? html`<h1>${heading}</h1>` : renderIntroduction(query, all)}
${renderSearch(query)}
<div class="browse">
<div id="facets" data-live>${renderFacets(facets, query)}</div>
<div>
<div id="chips" data-live>${renderChips(query, labelIn(labels))}</div>
<div class="list-head"><p class="count" role="status" data-count>${describe(found)}</p><div id="sorts" data-live>${renderSorts(query)}</div></div>
<div id="results" data-results>
${query.page === 1 ? renderSuggestions(facets, query) : html``}${renderResults(found)}
</div>
</div>
</div>`,
  })
}

const renderIntroduction = (
  { typed, page }: RankingQuery,
  all: number,
) => html`<h1>Explore ${count(all, 'passport')}</h1>
${typed === '' && page === 1 ? LEAD : html``}`

const LEAD = html`<p class="lead">A passport is one person’s public record of work: a score for activity, identity and skills, and the credentials behind every point.</p>`

const isFiltered = ({ filters }: RankingQuery) => filtersOf(filters).length > 0

/** "People tagged “zk” in Lisbon with GitHub", for the title and the heading. */
function describeList({ typed, filters, sort }: RankingQuery, labels: Labels): string {
  const join = (name: FilterName, quote = (word: string) => word) =>
    filters[name].map((value) => quote(shortWord(labels.get(value) ?? value, MAX_TITLE_VALUE))).join(' and ')
  const words = [
    filters.human[0] === 'true'
      ? 'Verified people'
      : filters.human[0] === 'false'
        ? 'Unverified people'
        : 'People',
    filters.tag.length > 0 ? `tagged ${join('tag', (word) => `“${word}”`)}` : '',
    filters.place.length > 0 ? `in ${join('place')}` : '',
    filters.credential.length > 0 ? `with ${join('credential')}` : '',
    typed === '' ? '' : `matching “${shortWord(typed, MAX_TITLE_VALUE)}”`,
    sort === 'total' ? '' : `by ${sort}`,
  ].filter((word) => word !== '')
  return words.length === 1 && words[0] === 'People' ? 'Passports by score' : words.join(' ')
}

const MAX_TITLE_VALUE = 40

function renderResults(found: FoundRanking): Html {
  const { query, last, total } = found
  if (total === 0)
    return html`<p class="nothing">Try part of a name (accents and case are ignored), a handle such as github:zoe, an ENS name, the beginning of a wallet address, or a passport number. <a href="/">Show all passports</a></p>`
  if (query.page > last)
    return html`<p class="nothing">The list ends with page ${formatFigure(last)}. <a href="${addressOf({ ...query, page: last })}">Go to the last page</a></p>`
  return html`${renderRankingList(found)}
${renderPager(query, last)}`
}

function describe({ query, last, total, all, ranked }: FoundRanking): string {
  const { typed, page } = query
  if (total === 0)
    return typed === '' ? 'No passport has all of these filters' : `No passport found for “${typed}”`
  if (page > last) return `There is no page ${formatFigure(page)}.`
  if (typed !== '') return `${formatFigure(total)} of ${count(all, 'passport')} for “${typed}”`
  if (isFiltered(query)) return `${formatFigure(total)} of ${count(all, 'passport')}`
  const first = (page - 1) * PAGE_SIZE + 1
  return last === 1 ? '' : `Passports ${formatFigure(first)} to ${formatFigure(first + ranked.length - 1)}`
}
