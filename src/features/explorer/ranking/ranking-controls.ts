import { type Html, html } from '../../../ui/html.ts'
import { drawLevel } from '../../../ui/level-mark.ts'
import type { FilterName, RankingQuery, RankingSort } from '../../../ui/list-address.ts'
import * as lists from '../../../ui/list-address.ts'
import { FIGURES } from '../../../ui/people-list.ts'
import { formatFigure, shortWord } from '../../../ui/text.ts'
import type { ActiveFilter, Facets } from './facets.ts'
import type { SearchReading } from './read-search.ts'

/** The heading of each group of filters and, if there is a page about them, the page and the words that link to it. */
const GROUPS: Record<keyof Facets, readonly [heading: string, page?: string, words?: string]> = {
  human: ['People', '/about#human', 'What “human” means'],
  score: ['Levels', '/about#levels', 'What levels mean'],
  tag: ['Tags'],
  credential: ['Credentials', '/credentials', 'All credentials'],
  place: ['Places'],
}

const MAX_LABEL_LENGTH = 30

const renderChip = (address: string, label: string, count?: number, word: Html | string = '') =>
  html`<li><a href="${address}" rel="nofollow">${word}<bdi>${shortWord(label, MAX_LABEL_LENGTH)}</bdi>${renderCount(count)}</a></li>`

const renderCount = (count: number | undefined) =>
  count === undefined ? html`` : html` <span>${formatFigure(count)}</span>`

/** Renders links that add a filter. Selected values are left out, because they are chips above the list. */
export function renderFacets(facets: Facets | undefined, query: RankingQuery, isCounted: boolean): Html {
  if (!facets) return html``
  const groups = (Object.keys(GROUPS) as (keyof Facets)[]).flatMap((name) => {
    const chips = facets[name].flatMap(({ value, label, count }, at, all) => {
      // A level replaces another one.
      const others = query.filters.score.filter((each) => !facets.score.some((level) => level.value === each))
      const list = name === 'score' ? { ...query, filters: { ...query.filters, score: others } } : query
      const address = lists.addressOf(lists.withFilter(list, name, value))
      const isOffered = count !== 0 && value !== 'false' && !query.filters[name].includes(value)
      const mark = name === 'score' ? drawLevel(at + 1, all.length) : ''
      return isOffered ? [renderChip(address, label, isCounted ? count : undefined, mark)] : []
    })
    if (chips.length === 0) return []
    const [heading, page, words = ''] = GROUPS[name]
    return html`<div class="facet"><h2>${heading}</h2>
<ul class="chips">${chips}</ul>${page === undefined ? html`` : html`<p><a href="${page}">${words}</a></p>`}</div>
`
  })
  if (groups.length === 0) return html``
  return html`<a class="skip" href="#results">Skip the filters</a><details class="facets"><summary>Filters</summary>
${groups}</details>`
}

/** The filters of the list, each with a link that removes it. */
export function renderChips(query: RankingQuery, filters: readonly ActiveFilter[]): Html {
  if (filters.length === 0) return html``
  const chips = filters.map(
    ({ name, value, label }) =>
      html`<li><a href="${lists.addressOf(lists.withoutFilter(query, name, value))}"><span class="unseen">Remove the filter </span>${CHIP_WORDS[name] ?? ''}<bdi>${shortWord(label, 2 * MAX_LABEL_LENGTH)}</bdi><span aria-hidden="true"> ×</span></a></li>`,
  )
  const all = lists.addressOf({ ...query, page: 1, filters: lists.ALL_PASSPORTS.filters })
  return html`<ul class="chips">${chips}${filters.length > 1 ? html`<li><a href="${all}">Clear all</a></li>` : html``}</ul>`
}

const CHIP_WORDS: Partial<Record<FilterName, string>> = { tag: 'tag ', credential: 'has ', place: 'in ' }

/** Links to a search for the words as a name, because they were read as filters. */
export const renderAsName = (asked: RankingQuery): Html =>
  html`<p class="soft">Search names for <a href="${lists.addressOf(lists.withText(asked, asked.typed, true))}" rel="nofollow">“${shortWord(asked.typed, MAX_LABEL_LENGTH)}”</a> instead.</p>`

export const renderDidYouMean = (named: RankingQuery): Html =>
  html`<p>Did you mean <a href="${lists.addressOf(named)}"><bdi>${shortWord(named.typed, MAX_LABEL_LENGTH)}</bdi></a>?</p>`

/** Shows the request for the same list in v3, which searches names only. */
export function renderApiRequest(query: RankingQuery): Html {
  const address = lists.apiAddressOf(query)
  return html`<p class="soft">${query.typed !== '' ? 'A similar list (names only)' : 'The same list'} from the API: <a href="${address}" rel="nofollow"><code>${address}</code></a></p>`
}

export function renderSorts(query: RankingQuery): Html {
  const sorts = (Object.keys(lists.SORTS) as RankingSort[]).filter(
    (sort) => sort !== 'points' || lists.typesOf(query).length === 1,
  )
  const links = sorts.map((sort) => {
    const attribute = sort === query.sort ? html`aria-current="true"` : html`rel="nofollow"`
    return html`<li><a href="${lists.addressOf({ ...query, sort, page: 1 })}" ${attribute}>${{ ...FIGURES, total: 'Total' }[sort]}</a></li>`
  })
  return html`<nav aria-label="Sort by"><span class="soft" aria-hidden="true">Sort by</span><ul class="segments soft">${links}</ul></nav>`
}

/** Renders the filters that are suggested for the search text. Omits filters beside a name, because they may match nobody. */
export function renderSuggestions(all: SearchReading['suggestions'] = []): Html {
  const found = all.filter(({ query }) => query.typed === '')
  if (found.length === 0) return html``
  return html`<ul class="chips" aria-label="Suggested filters"><li aria-hidden="true">Suggested</li>${found.map(
    ({ name, query, label, count }) => renderChip(lists.addressOf(query), label, count, CHIP_WORDS[name]),
  )}</ul>`
}
