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
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { type Ranked, renderPager, renderRankingList, showPart } from '../../../ui/people-list.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../../ui/share-panel.ts'
import type { Site } from '../../../ui/site.ts'
import { credentialAddress, formatFigure, shortNameOf, shortWord } from '../../../ui/text.ts'
import { replaceOldAddress } from './old-addresses.ts'
import type { DescribedTerms, Names } from './ranking-controls.ts'
import * as controls from './ranking-controls.ts'

export const RANKING_SCRIPT = createScript('ranking.js', PARTS.share, PARTS.search)

export function createRankingPage(options: ExplorerOptions): ExplorerPage {
  /**
   * The filters beside the last list of all people. Counting and rendering them takes as long as the rest of a page.
   */
  let last = { key: '', filters: html`` }

  return {
    async cacheKey({ query }) {
      const isOld = replaceOldAddress(query) !== undefined
      return isOld
        ? undefined
        : `${lists.addressOf(lists.parsePeopleQuery(query))} ${(await options.rules()).stamp}`
    },
    async render({ query: parameters, site, signal, charge }) {
      const address = replaceOldAddress(parameters)
      if (address !== undefined)
        return createPage('', { Location: address, 'Cache-Control': 'no-cache' }, 301)
      const asked = lists.parsePeopleQuery(parameters)
      // A search costs about as much as two pages of the ranking, and sorting by points as much as four.
      charge(
        1 +
          (asked.text === '' ? 0 : 2) +
          (asked.sort.pointsFor !== undefined ? 4 : lists.isFiltered(asked) ? 2 : 0),
      )
      const rules = await options.rules()
      const version = await options.index.version()
      const key = isAll(asked) ? `${version} ${rules.stamp} ${lists.addressOf({ ...asked, page: 1 })}` : ''
      const known = key !== '' && key === last.key ? last.filters : undefined
      const groups = known ? [] : controls.GROUPS
      const found = await searchPeople(options, rules, { ...toRequest(asked), groups }, signal)
      if (found.distribution.total === 0) return renderStart(site)
      if (found.total === 0) charge(5)
      const shown = describeFound(site, rules, asked, found)
      const filters = known ?? renderFilters(shown)
      if (key !== '') last = { key, filters }
      return renderPage(shown, filters)
    },
  }
}

const isAll = (query: PeopleQuery) => query.text === '' && !lists.isFiltered(query)

const toRequest = ({ page, ...query }: PeopleQuery) => ({
  ...query,
  offset: (page - 1) * lists.PAGE_SIZE,
  limit: lists.PAGE_SIZE,
})

/** `asked` is the query of the URL. `query` has the filters that its text names instead of their words. */
type Shown = {
  site: Site
  rules: RuleSetShape
  asked: PeopleQuery
  query: PeopleQuery
  found: FoundPeople
  names: Names
  described: readonly DescribedTerms[]
  last: number
  title: string
}

function describeFound(site: Site, rules: RuleSetShape, asked: PeopleQuery, found: FoundPeople): Shown {
  const { chips, name } = found.reading
  const text = asked.text.includes('"') && name !== '' ? lists.quoted(name) : name
  const filter = chips.map(({ term }) => term)
  const query = { ...lists.withTerms({ ...asked, text }, filter), page: asked.page }
  const names = { labels: found.labels, types: namesOf(rules), levels: rules.levels ?? [] }
  const described = controls.describeFilter(query, names)
  const last = lastPage(found.named, lists.PAGE_SIZE)
  return {
    ...{ site, rules, asked, query, found, names, described, last },
    title: describeList(query, described),
  }
}

/** A search that finds few people shows no filters. */
const renderFilters = ({ query, found, names }: Shown) =>
  query.text === '' || found.total > 5 ? controls.renderFilters(query, found.groups, names) : html``

function renderPage(shown: Shown, filters: Html): RenderedPage {
  const { site, asked, query, found, names, described, last, title } = shown
  const all = found.distribution.total
  const isHome = isAll(asked) && asked.page === 1
  const isRead = found.reading.chips.length > 0
  const leaders = query.page === 1 ? found.people.slice(0, 3).map(({ passport }) => passport) : []
  const whole = countList(title, found.total)
  const led = leaders.map((each) => `${shortNameOf(each)} ${formatFigure(each.scores.total)}`).join(', ')
  const help = 'Search people, filter by tag, place and credential, and compare them.'
  const share = {
    path: lists.addressOf(query),
    ...(led !== '' && { title: whole, description: `${led}. ${help}` }),
  }
  const panel = html`${SHARE_BUTTON}${renderSharePanel(share, `${whole} on ${site.name}`, site.origin)}`
  const sorts = found.total === 0 ? html`` : html`${controls.renderSorts(query)}${panel}`
  const layout = {
    site,
    share,
    title: query.page === 1 ? title : `${title}, page ${formatFigure(query.page)}`,
    description: `${led === '' || isHome ? '' : `${whole}: ${led}. `}${count(all, 'passport')} with scores for activity, identity and skills. ${help}`,
    script: RANKING_SCRIPT,
    main: html`<div class="intro cover">${renderHeading(shown)}
<div id="lead" data-live>${isHome && LEAD}</div>
${renderSearch(asked.text, lists.parametersOf({ ...asked, text: '' }))}</div>
<div id="how" data-live>${(isHome || found.total === 0) && renderHow(site)}</div>
<div class="browse">
<div id="facets" data-live>${filters}</div>
<div>
<div id="chips" data-live>${controls.renderChips(query, described)}${isRead && found.total > 0 && controls.renderAsName(asked)}</div>
<div class="list-head row between"><p class="count" role="status" data-count>${describeCount(shown)}</p><div id="sorts" class="row" data-live>${sorts}</div></div>
<div id="results" data-results>
${controls.renderSuggestions(query, found.suggestions, names)}${renderResults(shown)}
</div>
</div>
</div>`,
  } as const
  return respondPage(layout, query.page > last ? 404 : 200)
}

/**
 * Search as you type replaces the heading and removes the introduction, so that the page is the one that Enter opens.
 */
function renderHeading({ asked, found, title }: Shown): Html {
  const { total, isMore, distribution } = found
  const words = html`<span class="clamp">${isMore && 'At least '}${countList(title, total)}</span>`
  return html`<h1 id="heading" aria-live="polite" data-live>${isAll(asked) ? count(distribution.total, 'passport') : words}</h1>`
}

const LEAD = html`<p class="lead">A passport is a person’s public record of work: a score and the credentials behind it.</p>
`

/** All of the language of the search; docs/explorer.md has the same sentences. */
const renderHow = ({ demo }: Site) =>
  html`<p class="soft">${demo && html`<strong>This is a demo: its people are invented.</strong> `}A tag, place, credential, level or “human” is a filter; all other words, and words in double quotes, are one name or handle. “or” between two filters of one kind finds people with either, and “not”, “no”, “without” or “-” before a filter finds people without it. Passport numbers, wallets, github:zoe and filters of the API such as score:&gt;100 work too.</p>`

/** Describes the list for the title and the heading, such as "People tagged “zk” in Lisbon with GitHub". */
function describeList({ text, sort }: PeopleQuery, described: readonly DescribedTerms[]): string {
  const isHuman = ({ words }: DescribedTerms) => words === 'human'
  const groups = Map.groupBy(
    described.filter((terms) => !isHuman(terms)),
    ({ before }) => before,
  )
  const filters = [...groups].map(([before, terms]) => {
    const joined = terms.map(({ words }) => words).join(/^(?:not|without)/.test(before) ? ' or ' : ' and ')
    return `${before} ${joined}`.trim()
  })
  const name =
    text === '' ? [] : [`matching “${shortWord(text.replace(/^"(.*)"$/s, '$1'), MAX_TITLE_VALUE)}”`]
  const part = Object.entries(lists.SORTS).find(([, field]) => field !== 'score' && field === sort.field)
  const words = [
    described.some(isHuman) ? 'Humans' : 'People',
    ...filters,
    ...name,
    ...(part ? [`by ${part[0]}`] : []),
  ]
  return words.length === 1 && words[0] === 'People' ? 'Passports by score' : words.join(' ')
}

const MAX_TITLE_VALUE = 90

function renderResults(shown: Shown): Html {
  const { asked, query, found, last, rules } = shown
  if (found.total === 0) return controls.renderInstead(asked, query, found)
  if (query.page > last)
    return html`<p class="nothing panel">The list ends with page ${formatFigure(last)}. <a href="${lists.addressOf({ ...query, page: last })}">Go to the last page</a></p>`
  const [type, other] = found.types
  const about = html`<p class="soft"><a href="${credentialAddress(type ?? '')}">How this credential is earned, and who has the most points</a></p>\n`
  const list = {
    query,
    among: found.among,
    scale: findScale(rules, query, found),
    ranked: found.people.map((person) => toRow(person, shown)),
  }
  return html`${type !== undefined && other === undefined && about}${renderRankingList(list)}
${renderPager(query.page, last, (page) => lists.addressOf({ ...query, page }))}${controls.renderApiRequest(query)}`
}

function findScale(rules: RuleSetShape, query: PeopleQuery, { distribution, people }: FoundPeople): number {
  const figure = lists.figureOf(query)
  if (figure === 'total') return distribution.scale
  const rule = findRule(rules, query.sort.pointsFor ?? '')
  if (figure !== 'points') return mostPoints(rules, CATEGORIES[figure]) || distribution.scale
  return rule?.max_score ?? Math.max(1, ...people.map(({ points }) => points.at(0) ?? 0))
}

/** A row has the figure by which the list is sorted, or the points for the credentials that the list is about. */
function toRow({ points, ...row }: FoundPerson, { query, found, rules, names }: Shown): Ranked {
  const { passport } = row
  const level = renderLevel(passport.scores.total, rules.levels)
  const figure = lists.figureOf(query)
  if (figure === 'points') {
    const category = findRule(rules, query.sort.pointsFor ?? '')?.category ?? ''
    const own = points[found.types.indexOf(query.sort.pointsFor ?? '')] ?? 0
    return { ...row, level, ...showPart(passport, own, partOf(category) ?? 'total') }
  }
  const shown = points.map(
    (own, at) =>
      `${formatFigure(own)} ${shortWord(controls.labelOf('type', found.types[at] ?? '', names), 30)}`,
  )
  const note = shown.length === 0 ? '' : `${shown.join(', ')} points`
  if (figure === 'total') return { ...row, level, note }
  const part = showPart(passport, passport.scores[figure], figure)
  return { ...row, level, ...part, note: note || part.note }
}

function describeCount({ query, found, last }: Shown): string {
  const { total, isMore, distribution } = found
  if (total === 0) return ''
  if (query.page > last) return `There is no page ${formatFigure(query.page)}.`
  if (query.text === '' && !lists.isFiltered(query)) return ''
  return `${isMore ? 'At least ' : ''}${formatFigure(total)} of ${count(distribution.total, 'passport')}${isMore ? '. Type more of it.' : ''}`
}

function renderStart(site: Site): RenderedPage {
  const main = html`<div class="cover"><h1>No passports yet</h1>
<p class="lead">The service is running and its database is empty. Fill it in one of three ways; new passports appear without a restart.</p></div>
<pre># Import your own records: JSON Lines, plain or gzip
${PROGRAM} import people.jsonl.gz</pre>
<pre># Mirror an existing V1 service
MIRROR_KEY=... ${PROGRAM} mirror https://v1.example.com</pre>
<pre># Try the demo: a thousand fictional people, in a separate database
${PROGRAM} serve --demo</pre>
<p>The folder <code>docs</code> describes records, rules and the operation of the service. The <a href="/reference/v3">API reference</a> describes access for programs.</p>`
  const description = 'This passport service is empty: how to fill it'
  return respondPage({ site, title: 'No passports yet', description, share: { path: '/' }, main })
}
