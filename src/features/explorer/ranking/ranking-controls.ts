import { equals, type Filter, formatFilter, unite } from '../../../core/lists/filter.ts'
import { termsOfLevels } from '../../../core/lists/read-text.ts'
import type { Level } from '../../../core/passport/rules/rule-set.ts'
import type { FoundPeople } from '../../../core/reads/search.ts'
import { type Html, html } from '../../../ui/html.ts'
import { drawLevel } from '../../../ui/level-mark.ts'
import type { Figure, PeopleQuery } from '../../../ui/list-address.ts'
import * as lists from '../../../ui/list-address.ts'
import { FIGURES } from '../../../ui/people-list.ts'
import { formatFigure, shortWord } from '../../../ui/text.ts'

const MAX_CHIP_LENGTH = 30

/** The groups of filters: those of the search for `GROUPS`, in this order, then the levels. */
const HEADINGS = [
  { field: 'human', most: 2, heading: 'People', page: '/about#human' },
  { field: 'tag', most: 10, heading: 'Tags', page: '' },
  { field: 'type', most: 8, heading: 'Credentials', page: '/credentials' },
  { field: 'location', most: 8, heading: 'Places', page: '' },
] as const

export const GROUPS = HEADINGS.map(({ field }) => ({ field }))

function renderChip(address: string, label: string, count?: number, before: Html | string = ''): Html {
  const words = html`${before}<bdi>${shortWord(label, 2 * MAX_CHIP_LENGTH)}</bdi>`
  const size = count === undefined ? '' : html` <span>${formatFigure(count)}</span>`
  return html`<li><a href="${address}" rel="nofollow">${words}${size}</a></li>`
}

/** Links that add a filter. Those of the list are left out, because they are chips above it. */
export function renderFilters(query: PeopleQuery, groups: FoundPeople['groups'], names: Names): Html {
  const [people, ...facets] = HEADINGS.map(({ most, heading, page }, at) => {
    const values = groups[at]?.groups.filter(({ value }) => value !== null && value !== 'false') ?? []
    return renderFacetGroup(heading, page, renderValues(query, values.slice(0, most), names))
  })
  const levels = renderFacetGroup('Levels', '/about#levels', renderLevels(query, names))
  const all = [people ?? html``, levels, ...facets]
  if (all.every(({ markup }) => markup === '')) return html``
  return html`<a class="skip" href="#results">Skip the filters</a>
<details class="facets">
<summary>Filters</summary>
${all}</details>`
}

type Values = FoundPeople['suggestions']

const renderValues = (query: PeopleQuery, values: Values, names: Names): Html[] =>
  values.flatMap((group) => {
    const term = equals(group.field, group.value ?? '')
    const words = group.field === 'human' ? 'human' : labelOfValue(group, names)
    if (lists.hasTerms(query, [term])) return []
    return renderChip(lists.addressOf(lists.withTerms(query, [term])), words, group.count)
  })

const labelOfValue = ({ field, value, label }: Values[number], names: Names): string =>
  field === 'type' ? labelOf(field, value ?? '', names) : (label ?? '')

/** The heading links to the page that explains the values. */
function renderFacetGroup(heading: string, page: string, chips: readonly Html[]): Html {
  if (chips.length === 0) return html``
  return html`<div class="facet">
<h2>${page === '' ? heading : html`<a href="${page}">${heading}</a>`}</h2>
<ul class="chips">${chips}</ul>
</div>
`
}

/** A level replaces another one. */
function renderLevels(query: PeopleQuery, { levels }: Names): Html[] {
  const all = termsOfLevels(levels)
  const selected = findLevels(query, levels)
  const others = selected ? lists.withoutTerms(query, selected.terms) : query
  return all.flatMap(({ name, terms }, at) => {
    if (selected?.names.includes(name)) return []
    const address = lists.addressOf(lists.withTerms(others, terms))
    return renderChip(address, name, undefined, drawLevel(at + 1, all.length))
  })
}

export function renderChips(query: PeopleQuery, described: readonly DescribedTerms[]): Html {
  if (described.length === 0) return html``
  const chips = described.map((terms) => renderSelected(query, terms))
  const all = lists.addressOf({ ...query, page: 1, filter: [] })
  const clear = described.length > 1 && html`<li><a href="${all}">Clear all</a></li>`
  return html`<ul class="chips">${chips}${clear}</ul>`
}

function renderSelected(query: PeopleQuery, { terms, before, words }: DescribedTerms): Html {
  const address = lists.addressOf(lists.withoutTerms(query, terms))
  const label = html`${before && `${before} `}<bdi>${shortWord(words, 2 * MAX_CHIP_LENGTH)}</bdi>`
  const remove = html`<span class="unseen">Remove the filter </span>`
  return html`<li><a href="${address}">${remove}${label}<span aria-hidden="true"> ×</span></a></li>`
}

const quoteTerm = (text: string) => `“${shortWord(text, MAX_CHIP_LENGTH)}”`

/** Links to a search for the words as a name, because they were read as filters. */
export function renderAsName(urlQuery: PeopleQuery): Html {
  const address = lists.addressOf({ ...urlQuery, text: lists.quoted(urlQuery.text), page: 1 })
  const link = html`<a href="${address}" rel="nofollow">${quoteTerm(urlQuery.text)}</a>`
  return html`<p class="soft">Search names for ${link} instead.</p>`
}

/** Nobody was found: links to the people of the name alone, to those of the filters alone, and to similar names. */
export function renderInstead(
  urlQuery: PeopleQuery,
  query: PeopleQuery,
  { instead, reading }: FoundPeople,
): Html {
  const { name = 0, chips = 0, nearMisses = [] } = instead ?? {}
  const link = (list: PeopleQuery, words: string, count: number) =>
    count === 0 ? [] : [renderChip(lists.addressOf({ ...list, page: 1 }), words, count)]
  const links = [
    ...nearMisses.flatMap((similar) =>
      link(
        { ...query, text: lists.quoted(similar.name) },
        `Names like ${quoteTerm(similar.name)}`,
        similar.count,
      ),
    ),
    ...link({ ...urlQuery, text: reading.name }, `Only the name ${quoteTerm(reading.name)}`, name),
    ...link({ ...query, text: '' }, 'Only the filters', chips),
  ]
  const advice = html`<p>Did you look for these people?</p>
<ul class="chips" aria-label="Other searches">${links}</ul>`
  return html`<div class="nothing panel">
${links.length > 0 && advice}
<p><a href="/">All passports by score</a></p>
</div>`
}

/** Shows the request for the same list in v3. */
export function renderApiRequest(query: PeopleQuery): Html {
  const address = lists.apiAddressOf(query)
  const link = html`<a href="${address}" rel="nofollow"><code>${address}</code></a>`
  return html`<p class="soft">The same list from the API: ${link}</p>`
}

export function renderSorts(query: PeopleQuery): Html {
  const types = lists.typesOf(query)
  const figures = Object.keys(FIGURES).filter(
    (figure) => figure !== 'points' || types.length === 1,
  ) as Figure[]
  const links = figures.map((figure) => {
    const sort = figure === 'points' ? 'score' : lists.SORTS[figure]
    const pointsFor = figure === 'points' ? { pointsFor: types[0] } : {}
    const address = lists.addressOf({
      ...query,
      sort: { field: sort, descending: true, ...pointsFor },
      page: 1,
    })
    const attribute = figure === lists.figureOf(query) ? html`aria-current="true"` : html`rel="nofollow"`
    return html`<li><a href="${address}" ${attribute}>${figure === 'total' ? 'Total' : FIGURES[figure]}</a></li>`
  })
  return html`<nav aria-label="Sort by">
<span class="soft" aria-hidden="true">Sort by</span>
<ul class="segments soft">${links}</ul>
</nav>`
}

const PREPOSITIONS: Partial<Record<Term['field'], string>> = { tag: 'tag ', location: 'in ', type: 'has ' }

export function renderSuggestions(query: PeopleQuery, suggestions: Values, names: Names): Html {
  if (suggestions.length === 0) return html``
  const chips = suggestions.map((group) => {
    const terms = [equals(group.field, group.value ?? '')]
    const address = lists.addressOf(lists.withTerms({ ...query, text: '' }, terms))
    return renderChip(address, labelOfValue(group, names), group.count, PREPOSITIONS[group.field])
  })
  return html`<ul class="chips" aria-label="Suggested filters"><li aria-hidden="true">Suggested</li>${chips}</ul>`
}

type Term = Filter[number]
type Condition = Term['conditions'][number]

/** `labels` are values as written, by field and folded value. `types` are the names of credentials. */
export type Names = {
  labels: Readonly<Record<string, string>>
  types: ReadonlyMap<string, string>
  levels: readonly Level[]
}

/** Terms in words: "tagged" and "“Rust” or “Solidity”". */
export type DescribedTerms = { terms: Filter; before: string; words: string }

/** Finds the levels whose scores are exactly those of the filter. */
export function findLevels({ filter }: PeopleQuery, levels: readonly Level[]) {
  const scores = filter.filter(({ field }) => field === 'score')
  const isSame = (terms: Filter) => `${terms.map(textOf).sort()}` === `${scores.map(textOf).sort()}`
  const matches = termsOfLevels(levels).filter(({ terms }) => isSame(unite(scores, terms)))
  const [first, ...others] = matches
  if (!first || (others.length > 0 && scores.length === 1)) return undefined
  const terms = others.reduce((all, level) => unite(all, level.terms), first.terms)
  return isSame(terms) ? { names: matches.map(({ name }) => name), terms } : undefined
}

const textOf = (term: Term): string => formatFilter([term])

/** Describes a filter. The scores of levels are described together. */
export function describeFilter(query: PeopleQuery, names: Names): DescribedTerms[] {
  const level = findLevels(query, names.levels)
  const { filter } = level ? lists.withoutTerms(query, level.terms) : query
  const placeOf = ({ field }: Term) => ORDER.indexOf(field) + (field === 'human' ? ORDER.length : 0)
  const sorted = filter.toSorted((a, b) => placeOf(a) - placeOf(b))
  const described = sorted.map((term) => ({ terms: [term], ...describeTerm(term, names) }))
  if (!level) return described
  const words = `the level ${level.names.join(' or ')}`
  return [...described, { terms: level.terms, before: 'with', words }]
}

/** The order of the words of a title: "tagged “zk” in Lisbon with GitHub". Other fields come first. */
const ORDER: readonly Term['field'][] = ['tag', 'location', 'type', 'points', 'score']

const WORDS: Partial<Record<Term['field'], readonly [string, string]>> = {
  ...{ tag: ['tagged', 'not tagged'], location: ['in', 'not in'], type: ['with', 'without'] },
}

/** A term that has no words is described as the text that the API reads. */
function describeTerm(term: Term, names: Names): Pick<DescribedTerms, 'before' | 'words'> {
  const { field, conditions } = term
  const [{ not, value }] = conditions as [Condition]
  const compared = describeComparison(term, names)
  if (compared !== undefined) return { before: 'with', words: compared }
  const isPlain = conditions.every((condition) => condition.not === not) && (!not || conditions.length === 1)
  if (isPlain && field === 'human') {
    const isHuman = (value === 'true') !== not
    return isHuman ? { before: '', words: 'human' } : { before: 'without', words: 'a human check' }
  }
  const words = WORDS[field]
  if (!isPlain || !words) return { before: '', words: formatFilter([term]) }
  const labels = conditions.map((condition) => labelOf(field, String(condition.value), names))
  const quoted = field === 'tag' ? labels.map((label) => `“${label}”`) : labels
  return { before: words[Number(not)] ?? '', words: quoted.join(' or ') }
}

const MAX_LABEL_LENGTH = 90

export const labelOf = (field: string, value: string, { labels, types }: Names): string =>
  shortWord(
    (field === 'type' ? types.get(value) : undefined) ?? labels[`${field} ${value}`] ?? value,
    MAX_LABEL_LENGTH,
  )

const COMPARISONS = { '>': 'over', '>=': 'at least', '<': 'under', '<=': 'at most', '=': 'exactly' }
const NEGATED = { '>': 'at most', '>=': 'under', '<': 'at least', '<=': 'over', '=': 'other than' }

/** Returns "a score over 20" or "GitHub over 20 points". */
function describeComparison({ field, conditions }: Term, names: Names): string | undefined {
  const [{ type }] = conditions as [Condition]
  const bounds = conditions.map(describeBound).join(' or ')
  if (type === undefined) {
    const part = /^(?:(\w+)_)?score$/.exec(field)
    return part ? `${article(part[1])} score ${bounds}` : undefined
  }
  const isPlain = conditions.every((condition) => condition.type === type && !condition.not)
  return isPlain ? `${labelOf('type', type, names)} ${bounds} points` : undefined
}

const describeBound = ({ not, operator, value }: Condition): string =>
  `${(not ? NEGATED : COMPARISONS)[operator]} ${formatFigure(Number(value))}`

const article = (part = ''): string =>
  part === '' ? 'a' : /^[aeiou]/.test(part) ? `an ${part}` : `a ${part}`
