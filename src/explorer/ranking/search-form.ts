import { type Html, html } from '../html.ts'
import { filtersOf, NO_FILTERS, type RankingQuery } from './ranking-query.ts'

/** Works without JavaScript: hidden fields keep the filters. */
export function renderSearch({
  typed,
  filters,
  sort,
}: Pick<RankingQuery, 'typed' | 'filters' | 'sort'> = NO_SEARCH): Html {
  const hidden = [...filtersOf(filters), ...(sort === 'total' ? [] : [['sort', sort] as const])]
  return html`<form class="search" action="/" role="search">
<label for="search">Find a person</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name, tag, place, wallet or number" autocomplete="off" autocapitalize="off" spellcheck="false">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button type="submit">Search</button>
</form>`
}

const NO_SEARCH = { typed: '', filters: NO_FILTERS, sort: 'total' } as const
