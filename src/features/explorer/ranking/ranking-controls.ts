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

const renderChip = (address: string, label: string, count?: number, before: Html | string = '') =>
  html`<li><a href="${address}" rel="nofollow">${before}<bdi>${shortWord(label, 2 * MAX_CHIP_LENGTH)}</bdi>${count !== undefined && html` <span>${formatFigure(count)}</span>`}</a></li>`

/** Links that add a filter. Those of the list are left out, because they are chips above it. */
export function renderFilters(query: PeopleQuery, groups: FoundPeople['groups'], names: Names): Html {
  const shown = HEADINGS.map(({ field, most, heading, page }, at) => {
    const values = groups[at]?.groups.filter(({ value }) => value !== null && value !== 'false') ?? []
    const chips = values.slice(0, most).flatMap(({ value, label, count }) => {
      const term = equals(field, value ?? '')
      if (lists.hasTerms(query, [term])) return []
      const words =
        field === 'human' ? 'human' : field === 'type' ? labelOf(field, value ?? '', names) : label
      return renderChip(lists.addressOf(lists.withTerms(query, [term])), words ?? '', count)
    })
    return renderGroup(heading, page, chips)
  })
  shown.splice(1, 0, renderGroup('Levels', '/about#levels', renderLevels(query, names)))
  if (shown.every(({ markup }) => markup === '')) return html``
  return html`<a class="skip" href="#results">Skip the filters</a><details class="facets"><summary>Filters</summary>
${shown}</details>`
}

/** The heading links to the page that explains the values. */
function renderGroup(heading: string, page: string, chips: readonly Html[]): Html {
  if (chips.length === 0) return html``
  return html`<div class="facet"><h2>${page === '' ? heading : html`<a href="${page}">${heading}</a>`}</h2>
<ul class="chips">${chips}</ul></div>
`
}

/** A level replaces another one. */
function renderLevels(query: PeopleQuery, { levels }: Names): Html[] {
  const all = termsOfLevels(levels)
  const chosen = findLevels(query, levels)
  const others = chosen ? lists.withoutTerms(query, chosen.terms) : query
  return all.flatMap(({ name, terms }, at) => {
    if (chosen?.names.includes(name)) return []
    return renderChip(
      lists.addressOf(lists.withTerms(others, terms)),
      name,
      undefined,
      drawLevel(at + 1, all.length),
    )
  })
}

export function renderChips(query: PeopleQuery, described: readonly DescribedTerms[]): Html {
  if (described.length === 0) return html``
  const chips = described.map(({ terms, before, words }) => {
    const address = lists.addressOf(lists.withoutTerms(query, terms))
    const label = html`${before !== '' && `${before} `}<bdi>${shortWord(words, 2 * MAX_CHIP_LENGTH)}</bdi>`
    return html`<li><a href="${address}"><span class="unseen">Remove the filter </span>${label}<span aria-hidden="true"> ×</span></a></li>`
  })
  const all = lists.addressOf({ ...query, page: 1, filter: [] })
  return html`<ul class="chips">${chips}${described.length > 1 && html`<li><a href="${all}">Clear all</a></li>`}</ul>`
}

/** Links to a search for the words as a name, because they were read as filters. */
export function renderAsName(asked: PeopleQuery): Html {
  const address = lists.addressOf({ ...asked, text: lists.quoted(asked.text), page: 1 })
  return html`<p class="soft">Search names for <a href="${address}" rel="nofollow">“${shortWord(asked.text, MAX_CHIP_LENGTH)}”</a> instead.</p>`
}

/** Nobody was found: links to the people of the name alone, to those of the filters alone, and to similar names. */
export function renderInstead(
  asked: PeopleQuery,
  query: PeopleQuery,
  { instead, reading }: FoundPeople,
): Html {
  const { name = 0, chips = 0, nearMisses = [] } = instead ?? {}
  const link = (list: PeopleQuery, words: string, count: number) =>
    renderChip(lists.addressOf({ ...list, page: 1 }), words, count)
  const quotedName = (text: string) => `“${shortWord(text, MAX_CHIP_LENGTH)}”`
  const links = [
    ...nearMisses.map((similar) =>
      link(
        { ...query, text: lists.quoted(similar.name) },
        `Names like ${quotedName(similar.name)}`,
        similar.count,
      ),
    ),
    ...(name > 0
      ? [link({ ...asked, text: reading.name }, `Only the name ${quotedName(reading.name)}`, name)]
      : []),
    ...(chips > 0 ? [link({ ...query, text: '' }, 'Only the filters', chips)] : []),
  ]
  const all = html`<p><a href="/">All passports by score</a></p>`
  if (links.length === 0) return html`<div class="nothing panel">${all}</div>`
  return html`<div class="nothing panel"><p>Did you look for these people?</p>
<ul class="chips" aria-label="Other searches">${links}</ul>${all}</div>`
}

/** Shows the request for the same list in v3. */
export function renderApiRequest(query: PeopleQuery): Html {
  const address = lists.apiAddressOf(query)
  return html`<p class="soft">The same list from the API: <a href="${address}" rel="nofollow"><code>${address}</code></a></p>`
}

export function renderSorts(query: PeopleQuery): Html {
  const types = lists.typesOf(query)
  const [type] = types
  const shown = [
    ...Object.entries(lists.SORTS).map(([figure, field]) => ({ figure, sort: { field, descending: true } })),
    ...(type !== undefined && types.length === 1
      ? [{ figure: 'points', sort: { field: 'score', descending: true, pointsFor: type } as const }]
      : []),
  ]
  const links = shown.map(({ figure, sort }) => {
    const attribute = figure === lists.figureOf(query) ? html`aria-current="true"` : html`rel="nofollow"`
    const words = { ...FIGURES, total: 'Total' }[figure as Figure]
    return html`<li><a href="${lists.addressOf({ ...query, sort, page: 1 })}" ${attribute}>${words}</a></li>`
  })
  return html`<nav aria-label="Sort by"><span class="soft" aria-hidden="true">Sort by</span><ul class="segments soft">${links}</ul></nav>`
}

export function renderSuggestions(query: PeopleQuery, all: FoundPeople['suggestions'], names: Names): Html {
  if (all.length === 0) return html``
  const chips = all.map(({ field, value, label, count }) => {
    const terms: Filter = [equals(field, value ?? '')]
    const words = field === 'type' ? labelOf(field, value ?? '', names) : (label ?? '')
    const before = { tag: 'tag ', location: 'in ', type: 'has ' }[field as 'tag']
    return renderChip(lists.addressOf(lists.withTerms({ ...query, text: '' }, terms)), words, count, before)
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
  const found = termsOfLevels(levels).filter(({ terms }) => isSame(unite(scores, terms)))
  const [first, ...others] = found
  if (!first || (others.length > 0 && scores.length === 1)) return undefined
  const terms = others.reduce((all, level) => unite(all, level.terms), first.terms)
  return isSame(terms) ? { names: found.map(({ name }) => name), terms } : undefined
}

const textOf = (term: Term): string => formatFilter([term])

/** Describes a filter. The scores of levels are described together. */
export function describeFilter(query: PeopleQuery, names: Names): DescribedTerms[] {
  const level = findLevels(query, names.levels)
  const { filter } = level ? lists.withoutTerms(query, level.terms) : query
  const placeOf = ({ field }: Term) => ORDER.indexOf(field) + (field === 'human' ? ORDER.length : 0)
  const sorted = filter.toSorted((one, other) => placeOf(one) - placeOf(other))
  const described = sorted.map((term) => ({ terms: [term], ...describeTerm(term, names) }))
  return level
    ? [...described, { terms: level.terms, before: 'with', words: `the level ${level.names.join(' or ')}` }]
    : described
}

/** The order of the words of a title: "tagged “zk” in Lisbon with GitHub". Other fields come first. */
const ORDER: readonly Term['field'][] = ['tag', 'location', 'type', 'points', 'score']

const WORDS: Partial<Record<Term['field'], readonly [string, string]>> = {
  ...{ tag: ['tagged', 'not tagged'], location: ['in', 'not in'], type: ['with', 'without'] },
}

/** A term that has no words is described as the text that the API reads. */
function describeTerm(term: Term, names: Names): Pick<DescribedTerms, 'before' | 'words'> {
  const { field, conditions } = term
  const [first] = conditions as [Condition]
  const isPlain = conditions.every(({ not }) => not === first.not) && (!first.not || conditions.length === 1)
  const raw = { before: '', words: formatFilter([term]) }
  const compared = describeComparison(term, names)
  if (compared !== undefined) return { before: 'with', words: compared }
  if (!isPlain) return raw
  if (field === 'human') {
    const isHuman = (first.value === 'true') !== first.not
    return isHuman ? { before: '', words: 'human' } : { before: 'without', words: 'a human check' }
  }
  const words = WORDS[field]
  if (!words) return raw
  const shown = conditions.map(({ value }) => labelOf(field, String(value), names))
  const quoted = field === 'tag' ? shown.map((label) => `“${label}”`) : shown
  return { before: words[Number(first.not)] ?? '', words: quoted.join(' or ') }
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
  const bounds = conditions
    .map(
      ({ not, operator, value }) =>
        `${(not ? NEGATED : COMPARISONS)[operator]} ${formatFigure(Number(value))}`,
    )
    .join(' or ')
  const [{ type }] = conditions as [Condition]
  if (type !== undefined)
    return conditions.every((each) => each.type === type && !each.not)
      ? `${labelOf('type', type, names)} ${bounds} points`
      : undefined
  const part = /^(?:(\w+)_)?score$/.exec(field)
  return part ? `${article(part[1])} score ${bounds}` : undefined
}

const article = (part = ''): string =>
  part === '' ? 'a' : /^[aeiou]/.test(part) ? `an ${part}` : `a ${part}`
