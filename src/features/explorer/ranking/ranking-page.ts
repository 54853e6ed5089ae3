import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { PROGRAM } from '../../../core/basics/version.ts'
import type { RenderedPage } from '../../../core/http/rendered-page.ts'
import type { Standing } from '../../../core/reads/standing.ts'
import { withoutCaching } from '../../../ui/assets-and-csp.ts'
import { drawHistogram } from '../../../ui/charts.ts'
import { type Html, html } from '../../../ui/html.ts'
import { countList, renderSearch, respondPage } from '../../../ui/layout.ts'
import type { FilterName, RankingQuery } from '../../../ui/list-address.ts'
import * as lists from '../../../ui/list-address.ts'
import { ifReady } from '../../../ui/not-ready.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../../ui/page.ts'
import { renderPager, renderRankingList } from '../../../ui/people-list.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../../ui/share-panel.ts'
import type { Site } from '../../../ui/site.ts'
import { credentialAddress, formatFigure, shortNameOf, shortWord } from '../../../ui/text.ts'
import { type ActiveFilter, createFacetReader, type FacetReader, type Facets } from './facets.ts'
import { type FoundRanking, findRanking } from './find-ranking.ts'
import * as controls from './ranking-controls.ts'
import { createSearchReader, findSimilar, type SearchReading } from './read-search.ts'

/** All passports by score, or those that a search and filters find. */
export function createRankingPage(options: ExplorerOptions): ExplorerPage {
  const facets = createFacetReader(options)
  const readSearch = createSearchReader(options, facets)
  return {
    cacheKey: async ({ query }) =>
      `${lists.addressOf(lists.parseRankingQuery(query))} ${(await options.rules()).stamp}`,
    async render(request) {
      const query = lists.parseRankingQuery(request.query)
      // A search costs about as much as two pages of the ranking. So does an evaluation of the index, and so does sorting by points.
      const charge = (list: RankingQuery) =>
        request.charge(
          1 + (query.typed === '' ? 0 : 2) + (list.sort === 'points' ? 4 : lists.needsIndex(list) ? 2 : 0),
        )
      charge(query)
      const reading = await readSearch(query, request.signal)
      const list = reading?.query ?? query
      charge(list)
      if (lists.needsIndex(list)) await options.catalog.waitForIndex(request.signal)
      return renderRanking({ ...options, facets }, query, reading, request)
    },
  }
}

type PageContext = ExplorerOptions & { facets: FacetReader }

/** `asked` is the query of the URL. `found` is the list that it describes, with the filters that its text names. */
type Shown = {
  site: Site
  asked: RankingQuery
  found: FoundRanking
  reading: SearchReading | undefined
  facets: Facets | undefined
  filters: readonly ActiveFilter[]
  similar: RankingQuery | undefined
  standing: Standing
}

async function renderRanking(
  context: PageContext,
  asked: RankingQuery,
  reading: SearchReading | undefined,
  request: ExplorerRequest,
): Promise<RenderedPage> {
  const { site, signal } = request
  const list = reading?.query ?? asked
  const requests = await context.facets.requestsFor(list)
  const found = await findRanking(context, list, requests, signal)
  if (found.all === 0) return renderStart(site)
  const present = () => context.facets.present(found, list, signal)
  const facets = hasFacets(found) ? await ifReady(context, present) : undefined
  const filters = await context.facets.presentFilters(list, requests, found)
  if (found.total === 0) request.charge(5)
  const find = () => findSimilar(context, list, signal)
  const similar = found.total === 0 && list.typed !== '' ? await ifReady(context, find) : undefined
  const shown = {
    ...{ site, asked, reading, facets, filters, similar },
    found: { ...found, ranked: await addNotes(context, found) },
    standing: await context.catalog.standing(0),
  }
  const page = renderPage(shown, list.page > found.last ? 404 : 200)
  const isComplete = reading && (facets || !hasFacets(found))
  return isComplete ? page : withoutCaching(page)
}

const isSame = (one: RankingQuery, other: RankingQuery) => lists.addressOf(one) === lists.addressOf(other)

/** Adds the points for the credentials of the filters. */
async function addNotes({ facets }: PageContext, { query, ranked, points }: FoundRanking) {
  if (!points || query.sort === 'points') return ranked
  const names = await Promise.all(lists.typesOf(query).map((type) => facets.labelOf('credential', type)))
  const describe = (figure: number, at: number) => `${formatFigure(figure)} ${shortWord(names[at] ?? '', 30)}`
  const noteOf = (id: number) => points.get(id)?.map(describe).join(', ').concat(' points')
  return ranked.map((each) => ({ ...each, note: noteOf(each.passport.id) ?? '' }))
}

/** A search that finds few people has no facets. */
const hasFacets = ({ query, total }: FoundRanking) => query.typed === '' || total > 5

function renderPage(shown: Shown, status: number): RenderedPage {
  const { site, asked, found, reading, facets, filters, standing } = shown
  const { query, all } = found
  const title = describeList(query, filters)
  const isHome = !lists.isFiltered(asked) && asked.typed === '' && asked.page === 1
  const leaders = query.page === 1 ? found.ranked.slice(0, 3).map(({ passport }) => passport) : []
  const whole = countList(title, found.total)
  const led = leaders.map((each) => `${shortNameOf(each)} ${formatFigure(each.scores.total)}`).join(', ')
  const description = `${led}. Search people, filter by tag, place and credential, and compare them.`
  const share = {
    path: lists.addressOf(query),
    ...(led !== '' && { title: whole, description }),
  }
  const panel = html`${SHARE_BUTTON}${renderSharePanel(share, `${whole} on ${site.name}`, site.origin)}`
  const layout = {
    site,
    share,
    title: query.page === 1 ? title : `${title}, page ${formatFigure(query.page)}`,
    description: `${led === '' || isHome ? '' : `${whole}: ${led}. `}${count(all, 'passport')} with scores for activity, identity and skills. Search people, filter by tag, place and credential, and compare them.`,
    script: 'ranking.js',
    main: html`<div class="intro cover"><div>${renderHeading(shown)}
${renderSearch(lists.searchText(asked), hiddenFields(asked))}<div id="lead" data-live>${isHome ? html`${renderExamples(facets)}${renderLead(site)}` : html``}</div></div>
<div id="strip" data-live>${isHome ? renderScoreStrip(standing) : html``}</div></div>
<div class="browse">
<div id="facets" data-live>${controls.renderFacets(facets, query, found.extra === 0)}</div>
<div>
<div id="chips" data-live>${controls.renderChips(query, filters)}${isSame({ ...query, page: 1 }, { ...asked, page: 1 }) ? '' : controls.renderAsName(asked)}</div>
<div class="list-head row between"><p class="count" role="status" data-count>${describe(shown)}</p><div id="sorts" class="row" data-live>${found.total === 0 ? html`` : html`${controls.renderSorts(query)}${panel}`}</div></div>
<div id="results" data-results>
${controls.renderSuggestions(reading?.suggestions)}${renderResults(shown)}
</div>
</div>
</div>`,
  } as const
  return respondPage(layout, status)
}

/** Search as you type replaces the heading and removes the introduction, so that the page is the one that Enter opens. */
function renderHeading({ asked, found, filters }: Shown): Html {
  const { total, all, isMore, query } = found
  const words = countList(describeList(query, filters), total)
  const shown = html`<span class="clamp">${isMore ? 'At least ' : ''}${words}</span>`
  return html`<h1 id="heading" aria-live="polite" data-live>${asked.typed === '' && !lists.isFiltered(asked) ? html`<span class="extra">Explore </span>${count(all, 'passport')}` : shown}</h1>`
}

const renderLead = ({ demo, owner }: Site) =>
  html`<p class="lead">A passport is one person’s public record of work: a score for activity, identity and skills, and the credentials behind every point.${owner === undefined ? html`` : html` Run by <a href="/about">${owner.replace(/\.$/, '')}</a>.`}${demo ? html` <strong>This is a demo: its people are invented.</strong>` : html``}</p>
`

/** Shows that the search understands descriptions, with the most frequent tag and place. */
function renderExamples(facets: Facets | undefined): Html {
  const [tag, place] = [facets?.tag[0], facets?.place[0]]
  if (!tag || !place) return html``
  const words = [tag, place].map(({ label }) => shortWord(label, MAX_TITLE_VALUE)).join(' ')
  return html`<p class="soft">Or describe people: <a href="/?${String(new URLSearchParams({ q: words }))}">${words}</a>.</p>`
}

/** Hidden fields of the search form keep the filters and the order. */
const hiddenFields = (query: RankingQuery) => [
  ...new URLSearchParams(lists.addressOf(lists.withText(query, '')).slice('/?'.length)),
]

/** Describes the list for the title and the heading, such as "People tagged “zk” in Lisbon with GitHub". */
function describeList({ typed, filters, sort }: RankingQuery, active: readonly ActiveFilter[]) {
  const join = (start: string, names: readonly FilterName[], quote = (label: string) => label) => {
    const shown = active.filter(({ name, value }) => names.includes(name) && filters[name].includes(value))
    const labels = shown.map(({ label }) => quote(shortWord(label, MAX_TITLE_VALUE)))
    return labels.length === 0 ? '' : `${start} ${labels.join(' and ')}`
  }
  const words = [
    filters.human[0] === 'true' ? 'Humans' : 'People',
    join('tagged', ['tag'], (label) => `“${label}”`),
    join('in', ['place']),
    join('with', ['credential', 'points', 'score'], (label) =>
      label
        .replace(/^score (?=at|\d)/, 'a score of ')
        .replace(/^score/, 'a score')
        .replace(/^level/, 'the level'),
    ),
    join('', ['filter']).trim(),
    filters.human[0] === 'false' ? 'without a human check' : '',
    typed === '' ? '' : `matching “${shortWord(typed, MAX_TITLE_VALUE)}”`,
    sort === 'total' || sort === 'points' ? '' : `by ${sort}`,
  ].filter((word) => word !== '')
  return words.length === 1 && words[0] === 'People' ? 'Passports by score' : words.join(' ')
}

const MAX_TITLE_VALUE = 90

const HELP = html`<div class="nothing panel"><p>Try part of a name (accents and case are ignored), a tag, a place, a handle such as github:zoe, an ENS name, the beginning of a wallet address, or a passport number. Or choose:</p><ul class="chips"><li><a href="/?human=true&amp;score=%3E100">human, score over 100</a></li><li><a href="/?sort=skills">highest skills</a></li><li><a href="/credentials">credentials</a></li><li><a href="/movers">movers</a></li></ul></div>`

function renderResults({ found, similar }: Shown): Html {
  const { query, last, total } = found
  if (total === 0) return html`${similar ? controls.renderDidYouMean(similar) : html``}${HELP}`
  if (query.page > last)
    return html`<p class="nothing panel">The list ends with page ${formatFigure(last)}. <a href="${lists.addressOf({ ...query, page: last })}">Go to the last page</a></p>`
  const [type, other] = lists.typesOf(query)
  return html`${type === undefined || other !== undefined ? html`` : html`<p class="soft"><a href="${credentialAddress(type)}">How this credential is earned, and who has the most points</a></p>\n`}${renderRankingList(found)}
${renderPager(query.page, last, (page) => lists.addressOf({ ...query, page }))}${controls.renderApiRequest(query)}`
}

function describe({ found }: Shown): string {
  const { query, last, total, all, isMore } = found
  const { page, typed } = query
  if (total === 0) return ''
  if (page > last) return `There is no page ${formatFigure(page)}.`
  if (typed === '' && !lists.isFiltered(query)) return ''
  return `${isMore ? 'At least ' : ''}${formatFigure(total)} of ${count(all, 'passport')}${isMore ? '. Type more of it.' : ''}`
}

/** A small histogram of all scores with the median, beside the introduction; omitted for fewer than 20 people. */
function renderScoreStrip({ distribution, median, scale, step, total, highest }: Standing): Html {
  if (total < 20 || highest <= 0) return html``
  return html`<figure class="strip soft">
${drawHistogram(distribution.slice(0, -1), median / step)}
<p class="row between" aria-hidden="true"><span>score 0</span><span>${formatFigure(scale)}</span></p>
<figcaption>Half of all people score ${formatFigure(median)} or more (dashed line); the highest score is ${formatFigure(highest)}.</figcaption>
</figure>`
}

/** The page of an empty database. */
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
