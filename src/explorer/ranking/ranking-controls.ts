import { CATEGORIES } from '../design/charts.ts'
import { type Html, html } from '../design/html.ts'
import { formatFigure, shortWord } from '../design/text.ts'
import type { Facets } from '../search/facets.ts'
import {
  ALL_PASSPORTS,
  addressOf,
  type FilterName,
  filtersOf,
  hasFilter,
  type RankingQuery,
  type RankingSort,
  SORTS,
  withFilter,
  withoutFilter,
} from '../search/ranking-query.ts'
import type { Suggestion } from './suggestions.ts'

const HEADINGS: Record<FilterName, string> = {
  human: 'People',
  tag: 'Tags',
  credential: 'Credentials',
  place: 'Places',
}

const MAX_LABEL_LENGTH = 30

/** Renders links that add a filter. Selected values are left out, because they are chips above the list. */
export function renderFacets(facets: Facets | undefined, query: RankingQuery, isCounted: boolean): Html {
  if (!facets) return html``
  const groups = (Object.keys(HEADINGS) as FilterName[]).flatMap((name) => {
    const values = facets[name].filter(({ value }) => value !== 'false' && !hasFilter(query, name, value))
    if (values.length === 0) return []
    const chips = values.map(
      ({ value, label, count }) =>
        html`<li><a href="${addressOf(withFilter(query, name, value))}" rel="nofollow"><bdi>${shortWord(label, MAX_LABEL_LENGTH)}</bdi>${isCounted ? html` <span>${formatFigure(count)}</span>` : html``}</a></li>`,
    )
    const more = name === 'credential' ? html`<p><a href="/credentials">All credentials</a></p>` : html``
    return html`<div class="facet"><h2>${HEADINGS[name]}</h2>
<ul class="chips">${chips}</ul>${more}</div>
`
  })
  if (groups.length === 0) return html``
  return html`<a class="skip" href="#results">Skip the filters</a><details class="facets"><summary>Filters</summary>
${groups}</details>`
}

/** The filters of the list, each with a link that removes it. */
export function renderChips(query: RankingQuery, labels: ReadonlyMap<string, string>): Html {
  const filters = filtersOf(query.filters)
  if (filters.length === 0) return html``
  const chips = filters.map(
    ([name, value]) =>
      html`<li><a href="${addressOf(withoutFilter(query, name, value))}"><span class="unseen">Remove the filter </span>${CHIP_WORDS[name]}<bdi>${shortWord(labels.get(value) ?? value, MAX_LABEL_LENGTH)}</bdi><span aria-hidden="true"> ×</span></a></li>`,
  )
  const all = addressOf({ ...query, page: 1, filters: ALL_PASSPORTS.filters })
  return html`<ul class="chips">${chips}${filters.length > 1 ? html`<li><a href="${all}">Clear all</a></li>` : html``}</ul>`
}

const CHIP_WORDS: Record<FilterName, string> = { tag: 'tag ', credential: 'has ', place: 'in ', human: '' }

const SORT_WORDS: Record<RankingSort, string> = { total: 'Total', ...CATEGORIES }

export function renderSorts(query: RankingQuery): Html {
  const links = (Object.keys(SORTS) as RankingSort[]).map((sort) => {
    const attribute = sort === query.sort ? html`aria-current="true"` : html`rel="nofollow"`
    return html`<li><a href="${addressOf({ ...query, sort, page: 1 })}" ${attribute}>${SORT_WORDS[sort]}</a></li>`
  })
  return html`<nav aria-label="Sort by"><span class="soft" aria-hidden="true">Sort by</span><ul class="segments soft">${links}</ul></nav>`
}

/** Renders the filters that are suggested for the search text. */
export function renderSuggestions(found: readonly Suggestion[]): Html {
  if (found.length === 0) return html``
  return html`<ul class="chips" aria-label="Suggested filters"><li aria-hidden="true">Filter by</li>${found.map(
    ({ name, query, label, count }) =>
      html`<li><a href="${addressOf(query)}" rel="nofollow">${CHIP_WORDS[name]}<bdi>${shortWord(label, MAX_LABEL_LENGTH)}</bdi> <span>${formatFigure(count)}</span></a></li>`,
  )}</ul>`
}
