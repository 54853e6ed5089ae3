import { MOST_GROUPS } from '../../../core/index/facet-groups.ts'
import { parseKeyword } from '../../../core/lists/list-request.ts'
import { type Html, html } from '../../../ui/html.ts'
import { respondPage } from '../../../ui/layout.ts'
import { ALL_PASSPORTS, FILTERS } from '../../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { addressOfFilter, shortWord } from '../../../ui/text.ts'
import { countFacets, createFacetReader, type FacetValue } from './facets.ts'
import { renderChip } from './ranking-controls.ts'

const NAMES = ['tag', 'place'] as const

/** The most frequent tags and places, or those with a word that begins with the search text. */
export function createTagsAndPlaces(options: ExplorerOptions): ExplorerPage {
  const { addLabels } = createFacetReader(options)
  const textOf = (query: URLSearchParams) => (query.get('q') ?? '').trim()
  return {
    cacheKey: ({ query }) => textOf(query),
    async render({ path, query, signal, site, charge }) {
      const text = textOf(query)
      const prefix = parseKeyword(text, 'q')
      await charge(3)
      await options.catalog.waitForIndex(signal)
      const requests = NAMES.map((name) => ({ field: FILTERS[name], ...(prefix && { prefix }) }))
      const counts = await countFacets(options.catalog, ALL_PASSPORTS, requests, signal)
      const sections = NAMES.map(async (name, at) =>
        renderFacet(name, text, await addLabels(name, counts[at] ?? [])),
      )
      return respondPage({
        site,
        title: 'Tags and places',
        description: 'The tags and places of people, and how many people have each',
        share: { path },
        main: html`<div class="cover"><h1>Tags and places</h1>
<p class="lead">Choose one to list its people. Each number counts them.</p>
<form class="search" action="${path}" role="search"><label for="find">Find a tag or a place</label>
<input id="find" name="q" type="search" value="${text}" maxlength="200" placeholder="The beginning of a word" autocomplete="off" spellcheck="false">
<button type="submit">Find</button></form></div>
<div class="pair">${await Promise.all(sections)}</div>`,
      })
    },
  }
}

function renderFacet(name: 'tag' | 'place', text: string, values: readonly FacetValue[]): Html {
  const chips = values.map(({ value, label, count }) =>
    renderChip(addressOfFilter(name, value), label, count),
  )
  const none = `No ${name}${text === '' ? ' yet' : ` has a word that begins with “${shortWord(text, 60)}”`}.`
  return html`<section id="${name}s"><h2>${name === 'tag' ? 'Tags' : 'Places'}</h2>
<ul class="chips">${chips}</ul>${chips.length === 0 ? html`<p>${none}</p>` : chips.length === MOST_GROUPS ? html`<p class="soft">These are the ${MOST_GROUPS} most frequent. Search for others by name.</p>` : html``}</section>
`
}
