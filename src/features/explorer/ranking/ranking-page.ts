import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { PROGRAM } from '../../../core/basics/version.ts'
import { createPage, type RenderedPage } from '../../../core/http/rendered-page.ts'
import { lastPage } from '../../../core/lists/list-request.ts'
import { findRule, mostPoints, namesOf, type RuleSetShape } from '../../../core/passport/rules/rule-set.ts'
import { type FoundPeople, type FoundPerson, searchPeople } from '../../../core/reads/search.ts'
import { createScript, PARTS } from '../../../ui/assets-and-csp.ts'
import { CATEGORIES, partOf } from '../../../ui/charts.ts'
import { type Html, html } from '../../../ui/html.ts'
import { countList, renderSearch, respondPage } from '../../../ui/layout.ts'
import { renderLevel } from '../../../ui/level-mark.ts'
import type { PeopleQuery } from '../../../ui/list-address.ts'
import * as lists from '../../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../../ui/page.ts'
import { type Ranked, renderPager, renderRankingList, showPart } from '../../../ui/people-list.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../../ui/share-panel.ts'
import type { Site } from '../../../ui/site.ts'
import { credentialAddress, formatFigure, shortNameOf, shortWord } from '../../../ui/text.ts'
import { replaceOldAddress } from './old-addresses.ts'
import type { DescribedTerms, Names } from './ranking-controls.ts'
import * as controls from './ranking-controls.ts'

export const RANKING_SCRIPT = createScript('ranking.js', PARTS.share, PARTS.search)

export function createRankingPage(options: ExplorerOptions): ExplorerPage {
  /** The filters beside the last list of all people: they take as long as the rest of a page. */
  let last = { key: '', filters: html`` }

  async function renderList(
    urlQuery: PeopleQuery,
    { site, signal, charge }: ExplorerRequest,
  ): Promise<RenderedPage> {
    charge(unitsOf(urlQuery))
    const rules = await options.rules()
    const version = await options.index.version()
    const key = isAll(urlQuery)
      ? `${version} ${rules.stamp} ${lists.addressOf({ ...urlQuery, page: 1 })}`
      : ''
    const filters = key !== '' && key === last.key ? last.filters : undefined
    const groups = filters ? [] : controls.GROUPS
    const result = await searchPeople(options, rules, { ...listRequestOf(urlQuery), groups }, signal)
    if (result.distribution.total === 0) return renderStart(site)
    if (result.total === 0) charge(UNITS_OF_NEAR_MISSES)
    const list = describeFound(site, rules, urlQuery, result)
    const rendered = filters ?? renderFilters(list)
    if (key !== '') last = { key, filters: rendered }
    return renderRanking(list, rendered)
  }

  return {
    async cacheKey({ query }) {
      if (replaceOldAddress(query) !== undefined) return undefined
      return `${lists.addressOf(lists.parsePeopleQuery(query))} ${(await options.rules()).stamp}`
    },
    render(request) {
      const address = replaceOldAddress(request.query)
      if (address === undefined) return renderList(lists.parsePeopleQuery(request.query), request)
      return createPage('', { Location: address, 'Cache-Control': 'no-cache' }, 301)
    },
  }
}

const UNITS_OF_NEAR_MISSES = 5

/** A search costs about as much as two pages of the ranking, and sorting by points as much as four. */
function unitsOf(urlQuery: PeopleQuery): number {
  const search = urlQuery.text === '' ? 0 : 2
  if (urlQuery.sort.pointsFor !== undefined) return 1 + search + 4
  return 1 + search + (lists.isFiltered(urlQuery) ? 2 : 0)
}

const isAll = (query: PeopleQuery) => query.text === '' && !lists.isFiltered(query)

const listRequestOf = ({ page, ...query }: PeopleQuery) => ({
  ...query,
  offset: (page - 1) * lists.PAGE_SIZE,
  limit: lists.PAGE_SIZE,
})

/** `urlQuery` is the query of the URL. `query` has the filters that its text names instead of their words. */
type PeopleList = {
  site: Site
  rules: RuleSetShape
  urlQuery: PeopleQuery
  query: PeopleQuery
  result: FoundPeople
  names: Names
  described: readonly DescribedTerms[]
  last: number
  title: string
}

function describeFound(
  site: Site,
  rules: RuleSetShape,
  urlQuery: PeopleQuery,
  result: FoundPeople,
): PeopleList {
  const { chips, name } = result.reading
  const text = urlQuery.text.includes('"') && name !== '' ? lists.quoted(name) : name
  const filter = chips.map(({ term }) => term)
  const query = { ...lists.withTerms({ ...urlQuery, text }, filter), page: urlQuery.page }
  const names = { labels: result.labels, types: namesOf(rules), levels: rules.levels ?? [] }
  const described = controls.describeFilter(query, names)
  const last = lastPage(result.named, lists.PAGE_SIZE)
  const title = describeList(query, described)
  return { site, rules, urlQuery, query, result, names, described, last, title }
}

/** A search that finds few people shows no filters. */
const renderFilters = ({ query, result, names }: PeopleList) =>
  query.text === '' || result.total > 5 ? controls.renderFilters(query, result.groups, names) : html``

const HELP = 'Search people, filter by tag, place and credential, and compare them.'

function renderRanking(list: PeopleList, filters: Html): RenderedPage {
  const { site, urlQuery, query, result, last, title } = list
  const isHome = isAll(urlQuery) && urlQuery.page === 1
  const leaders = query.page === 1 ? result.people.slice(0, 3).map(({ passport }) => passport) : []
  const scores = leaders
    .map((leader) => `${shortNameOf(leader)} ${formatFigure(leader.scores.total)}`)
    .join(', ')
  const whole = countList(title, result.total)
  const path = lists.addressOf(query)
  const share = scores === '' ? { path } : { path, title: whole, description: `${scores}. ${HELP}` }
  const about = `${count(result.distribution.total, 'passport')} with scores for activity, identity and skills.`
  const layout = {
    site,
    share,
    title: query.page === 1 ? title : `${title}, page ${formatFigure(query.page)}`,
    description: `${scores === '' || isHome ? '' : `${whole}: ${scores}. `}${about} ${HELP}`,
    script: RANKING_SCRIPT,
    main: html`<div class="intro cover">${renderHeading(list)}
<div id="lead" data-live>${isHome && LEAD}</div>
${renderSearch(urlQuery.text, lists.parametersOf({ ...urlQuery, text: '' }))}</div>
<div id="how" data-live>${(isHome || result.total === 0) && renderHow(site)}</div>
<div class="browse">
<div id="facets" data-live>${filters}</div>
<div>
${renderListHead(list, html`${SHARE_BUTTON}${renderSharePanel(share, `${whole} on ${site.name}`, site.origin)}`)}
<div id="results" data-results>
${controls.renderSuggestions(query, result.suggestions, list.names)}${renderResults(list)}
</div>
</div>
</div>`,
  } as const
  return respondPage(layout, query.page > last ? 404 : 200)
}

/** Search as you type replaces the heading and removes the introduction: the page is then that which Enter opens. */
function renderHeading({ urlQuery, result, title }: PeopleList): Html {
  const { total, isMore, distribution } = result
  const words = isAll(urlQuery)
    ? count(distribution.total, 'passport')
    : html`<span class="clamp">${isMore && 'At least '}${countList(title, total)}</span>`
  return html`<h1 id="heading" aria-live="polite" data-live>${words}</h1>`
}

const LEAD = html`<p class="lead">A passport is a person’s public record of work:
a score and the credentials behind it.</p>
`

const DEMO = html`<strong>This is a demo: its people are invented.</strong> `

/** All of the language of the search; docs/explorer.md has the same sentences. */
const renderHow = ({
  demo,
}: Site) => html`<p class="soft">${demo && DEMO}A tag, place, credential, level or “human” is a
filter; all other words, and words in double quotes, are one name or handle. “or” between two filters of one kind finds
people with either, and “not”, “no”, “without” or “-” before a filter finds people without it. Passport numbers,
wallets, github:zoe and filters of the API such as score:&gt;100 work too.</p>`

/** The filters of the list, the number of people, and the sorts. */
function renderListHead(list: PeopleList, panel: Html): Html {
  const { urlQuery, query, result, described } = list
  const hasPeople = result.total > 0
  const isRead = result.reading.chips.length > 0
  return html`<div id="chips" data-live>
${controls.renderChips(query, described)}
${isRead && hasPeople && controls.renderAsName(urlQuery)}
</div>
<div class="list-head row between">
<p class="count" role="status" data-count>${describeCount(list)}</p>
<div id="sorts" class="row" data-live>${hasPeople && controls.renderSorts(query)}${hasPeople && panel}</div>
</div>`
}

/** Describes the list for the title and the heading, such as "People tagged “zk” in Lisbon with GitHub". */
function describeList({ text, sort }: PeopleQuery, described: readonly DescribedTerms[]): string {
  const isHuman = ({ words }: DescribedTerms) => words === 'human'
  const terms = described.filter((term) => !isHuman(term))
  const filters = [...Map.groupBy(terms, ({ before }) => before)].map(([before, group]) => {
    const isNegated = /^(?:not|without)/.test(before)
    return `${before} ${group.map(({ words }) => words).join(isNegated ? ' or ' : ' and ')}`.trim()
  })
  const name = shortWord(text.replace(/^"(.*)"$/s, '$1'), MAX_TITLE_VALUE)
  const part = Object.entries(lists.SORTS).find(([, field]) => field !== 'score' && field === sort.field)
  const words = [
    described.some(isHuman) ? 'Humans' : 'People',
    ...filters,
    ...(text === '' ? [] : [`matching “${name}”`]),
    ...(part ? [`by ${part[0]}`] : []),
  ].join(' ')
  return words === 'People' ? 'Passports by score' : words
}

const MAX_TITLE_VALUE = 90

function renderResults(list: PeopleList): Html {
  const { urlQuery, query, result, last, rules } = list
  if (result.total === 0) return controls.renderInstead(urlQuery, query, result)
  if (query.page > last) return renderPastEnd(query, last)
  const [type, secondType] = result.types
  const ranking = {
    query,
    among: result.among,
    scale: findScale(rules, query, result),
    ranked: result.people.map((person) => personRow(person, list)),
  }
  return html`${type !== undefined && secondType === undefined && renderAboutCredential(type)}
${renderRankingList(ranking)}
${renderPager(query.page, last, (page) => lists.addressOf({ ...query, page }))}${controls.renderApiRequest(query)}`
}

const renderPastEnd = (query: PeopleQuery, last: number) =>
  html`<p class="nothing panel">The list ends with page ${formatFigure(last)}.
<a href="${lists.addressOf({ ...query, page: last })}">Go to the last page</a></p>`

const renderAboutCredential = (type: string) =>
  html`<p class="soft">
<a href="${credentialAddress(type)}">How this credential is earned, and who has the most points</a>
</p>`

function findScale(rules: RuleSetShape, query: PeopleQuery, { distribution, people }: FoundPeople): number {
  const figure = lists.figureOf(query)
  if (figure === 'total') return distribution.scale
  if (figure !== 'points') return mostPoints(rules, CATEGORIES[figure]) || distribution.scale
  const rule = findRule(rules, query.sort.pointsFor ?? '')
  return rule?.max_score ?? Math.max(1, ...people.map(({ points }) => points.at(0) ?? 0))
}

/** A row has the figure by which the list is sorted, or the points for the credentials that the list is about. */
function personRow({ points, ...row }: FoundPerson, { query, result, rules, names }: PeopleList): Ranked {
  const { passport } = row
  const level = renderLevel(passport.scores.total, rules.levels)
  const figure = lists.figureOf(query)
  if (figure === 'points') {
    const type = query.sort.pointsFor ?? ''
    const part = partOf(findRule(rules, type)?.category ?? '') ?? 'total'
    return { ...row, level, ...showPart(passport, points[result.types.indexOf(type)] ?? 0, part) }
  }
  const ofTypes = points.map((own, at) => {
    const name = controls.labelOf('type', result.types[at] ?? '', names)
    return `${formatFigure(own)} ${shortWord(name, MAX_TYPE_LENGTH)}`
  })
  const note = ofTypes.length === 0 ? '' : `${ofTypes.join(', ')} points`
  if (figure === 'total') return { ...row, level, note }
  const part = showPart(passport, passport.scores[figure], figure)
  return { ...row, level, ...part, note: note || part.note }
}

const MAX_TYPE_LENGTH = 30

function describeCount({ query, result, last }: PeopleList): string {
  const { total, isMore, distribution } = result
  if (total === 0) return ''
  if (query.page > last) return `There is no page ${formatFigure(query.page)}.`
  if (query.text === '' && !lists.isFiltered(query)) return ''
  const words = `${formatFigure(total)} of ${count(distribution.total, 'passport')}`
  return isMore ? `At least ${words}. Type more of it.` : words
}

function renderStart(site: Site): RenderedPage {
  const main = html`<div class="cover">
<h1>No passports yet</h1>
<p class="lead">The service is running and its database is empty. Fill it in one of three ways; new passports appear
without a restart.</p>
</div>
<pre># Import your own records: JSON Lines, plain or gzip
${PROGRAM} import people.jsonl.gz</pre>
<pre># Mirror an existing V1 service
MIRROR_KEY=... ${PROGRAM} mirror https://v1.example.com</pre>
<pre># Try the demo: a thousand fictional people, in a separate database
${PROGRAM} serve --demo</pre>
<p>The folder <code>docs</code> describes records, rules and the operation of the service.
The <a href="/reference/v3">API reference</a> describes access for programs.</p>`
  const description = 'This passport service is empty: how to fill it'
  return respondPage({ site, title: 'No passports yet', description, share: { path: '/' }, main })
}
