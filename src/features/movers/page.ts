import { invalidParameter, notFound } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { presentTime } from '../../core/history/present-event.ts'
import { MOVERS_SORTS, type MoversSort } from '../../core/lists/list-request.ts'
import { roundScore } from '../../core/passport/credential.ts'
import { file, POLICY, SHARE, withoutCaching } from '../../ui/assets-and-csp.ts'
import { describeCause, describeChange, joinFirst, renderChange } from '../../ui/credential-rows.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../ui/page.ts'
import { rosette } from '../../ui/rosette.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../ui/share-panel.ts'
import { formatChange, formatFigure, renderDay, shortNameOf } from '../../ui/text.ts'
import { findMovers, type Mover } from './list.ts'

const PERIODS = ['1', '7', '30'] as const
const [MOST_CAUSES, FIRST_MOVERS, MOST_MOVERS] = [3, 10, 100]
const TITLES = { '-change': 'Rises', change: 'Falls', '-added': 'New people' }
const NONE = { '-change': 'No score rose', change: 'No score fell', '-added': 'Nobody is new' }

export const createMoversPage = (options: ExplorerOptions): ExplorerPage => ({
  ...cacheKeyOf(options),
  async render({ site, ...request }) {
    const { asked, since, sections, isCurrent } = await findSections(options, request)
    const { days, sort } = asked
    const [period, title, feed] = [periodOf(asked), titleOf(asked), feedOf(asked)]
    const first = sections.flatMap(({ movers }) => movers.slice(0, 1).map(describeMover))
    const share = { path: addressOf(asked) }
    const rendered = respondPage({
      site,
      share,
      script: SHARE,
      title,
      description: [`Whose score rose or fell in ${period}, and why`, ...first].join('. '),
      head: html`<link rel="alternate" type="application/atom+xml" title="Movers of ${period}" href="${feed}">\n`,
      main: html`<div class="cover activity"><h1>Movers</h1>
<p class="lead">Whose score changed in ${period}, by how much, and why.${sort ? html` <a href="${addressOf({ days })}">Show all movers</a>` : html` Jump to <a href="#change">falls</a> or <a href="#-added">new people</a>.`}</p>
<div class="row actions"><nav aria-label="Period"><ul class="segments soft">${PERIODS.map((each) => html`<li><a href="${addressOf({ days: each, sort })}"${each === days && html` aria-current="true"`}>${each} ${each === '1' ? 'day' : 'days'}</a></li>`)}</ul></nav>${SHARE_BUTTON}<a class="button quiet" href="${feed}">Atom feed</a></div></div>${renderSharePanel({ ...share, title }, `${title} on ${site.name}`, site.origin)}
<div class="pair">${sections.map((section) => renderSection(section, asked))}</div>
<p class="soft">Scores of today, compared with those of ${renderDay(since)}. Also as an <a href="/reference/v3/listPassportsV3?sort=${sort ?? '-change'}&amp;since=${presentTime(since).slice(0, 10)}">API call</a>.</p>`,
    })
    return isCurrent ? rendered : withoutCaching(rendered)
  },
})

/** The same people as an Atom feed. A further change of a score is a new entry. */
export const createMoversFeed = (options: ExplorerOptions): ExplorerPage => ({
  ...cacheKeyOf(options),
  async render({ site: { name, origin }, ...request }) {
    if (origin === '') throw notFound()
    const { asked, since, sections, isCurrent } = await findSections(options, request, MOST_MOVERS)
    const latest = sections.flatMap(({ movers }) => movers).sort((one, other) => other.diff.at - one.diff.at)
    const entries = latest.map(
      (mover) => html`<entry><id>${origin}/passports/${mover.passport.id}#${mover.diff.at}</id>
<title>${describeMover(mover)}</title><updated>${presentTime(mover.diff.at)}</updated>
<link rel="alternate" type="text/html" href="${origin}/passports/${mover.passport.id}"/><summary>${describeCauses(mover).replaceAll('\n', '; ')}</summary></entry>
`,
    )
    const feed = html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${origin}${feedOf(asked)}</id><title>Movers: ${name}</title>
<updated>${presentTime(latest[0]?.diff.at ?? since)}</updated><author><name>${name}</name></author>
<link rel="self" type="application/atom+xml" href="${origin}${feedOf(asked)}"/>
<link rel="alternate" type="text/html" href="${origin}${addressOf(asked)}"/>
${entries}</feed>
`
    const page = file('application/atom+xml', feed.markup, POLICY.file)
    return isCurrent ? page : withoutCaching(page)
  },
})

/** Without `sort`, the page shows the beginning of each list. */
type Asked = { days: string; sort?: MoversSort | undefined }

const periodOf = ({ days }: Asked) => `the last ${days === '1' ? 'day' : `${days} days`}`
const titleOf = (asked: Asked) => `${asked.sort ? TITLES[asked.sort] : 'Movers'} of ${periodOf(asked)}`
const parametersOf = ({ days, sort }: Asked) => `?days=${days}${sort ? `&sort=${sort}` : ''}`
const feedOf = (asked: Asked) => `/movers.atom${parametersOf(asked)}`
const addressOf = (asked: Asked) => `/movers${parametersOf(asked)}`.replace(/\?days=7$/, '')

function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw invalidParameter(name, `${name} must be one of ${choices.join(', ')}, got ${quote(text)}.`)
}

/** Throws `invalid_request`. */
function readQuery(query: URLSearchParams): Asked {
  const [days, sort] = [query.get('days') || '7', query.get('sort')]
  return {
    days: parseChoice('days', days, PERIODS),
    sort: sort ? parseChoice('sort', sort, MOVERS_SORTS) : undefined,
  }
}

/** The start of a period is a full hour, so that pages can be cached. */
const beginOf = (now: number, days: string) => Math.floor(now / 3_600_000 - 24 * Number(days)) * 3_600_000

const cacheKeyOf = ({ now }: ExplorerOptions) => ({
  cacheKey: ({ query }: ExplorerRequest) => `${addressOf(readQuery(query))} ${beginOf(now(), '0')}`,
})

async function findSections(options: ExplorerOptions, request: Asking, most?: number) {
  const asked = readQuery(request.query)
  const limit = most ?? (asked.sort ? MOST_MOVERS : FIRST_MOVERS)
  request.charge(limit)
  const since = Math.max((await options.store.events.log()).knownSince, beginOf(options.now(), asked.days))
  const sorts = asked.sort ? [asked.sort] : MOVERS_SORTS
  const list = { since, limit, offset: 0, signal: request.signal }
  const find = async (sort: MoversSort) => ({ sort, ...(await findMovers(options, { sort, ...list })) })
  const sections = await Promise.all(sorts.map(find))
  return { asked, since, sections, isCurrent: sections.every((each) => each.isCurrent) }
}

type Asking = Omit<ExplorerRequest, 'site'>
type Section = { sort: MoversSort; movers: readonly Mover[]; total: number }

function renderSection({ sort, movers, total }: Section, asked: Asked): Html {
  const rows = movers.map((mover) => {
    const { id } = mover.passport
    const [figure, steps, change] = describeScore(mover)
    const [first = '', ...rest] = describeCauses(mover).split('\n')
    return html`<li><span class="rank">${sort !== '-added' && formatFigure(mover.rank)}</span>${rosette(id, 'small')}<span class="who"><a class="name clamp" href="/passports/${id}"><bdi>${shortNameOf(mover.passport)}</bdi></a><span class="soft detail"><span>${first}</span>${rest.length !== 0 && html`<span class="about">${rest.join(' · ')}</span>`}</span></span><span class="score">${change === undefined ? figure : renderChange(change)}<span class="soft detail">${sort === '-added' ? renderDay(mover.diff.at) : steps}</span></span></li>
`
  })
  const range = movers.length < total ? `1 to ${movers.length} of ` : ''
  return html`<div><h2 id="${sort}">${TITLES[sort]} <span class="soft">${range}${formatFigure(total)}${sort === '-added' && total > 1 && ', the latest first'}</span></h2>
${total === 0 ? html`<p class="nothing panel">${NONE[sort]} in ${periodOf(asked)}.</p>` : html`<ol class="ranking panel" role="list">${rows}</ol>`}${movers.length < total && !asked.sort && html`<p><a href="${addressOf({ days: asked.days, sort })}">More ${TITLES[sort].toLowerCase()}</a></p>`}</div>
`
}

function describeScore({ diff: { score } }: Mover): [figure: string, steps: string, change?: number] {
  const [before, after = 0] = score.map((each) => each ?? undefined)
  if (before === undefined) return [formatFigure(after), 'new']
  return [formatChange(after - before), `${formatFigure(before)} to ${formatFigure(after)}`, after - before]
}

const describeMover = (mover: Mover) =>
  `${shortNameOf(mover.passport)}: ${describeScore(mover).slice(0, 2).join(', ')}`

/** Returns lines such as "GitHub Developer −8, 21 to 13 (time passed)" and "3 more". */
function describeCauses({ passport: { credentials = [] }, diff: { causes, score } }: Mover): string {
  const groups = [...Map.groupBy(causes, ({ type }) => type)]
  return joinFirst(groups, MOST_CAUSES, ([type, group]) => {
    const own = credentials.filter((credential) => credential.type === type)
    const after = roundScore(own.reduce((sum, { score }) => sum + score, 0))
    const before = roundScore(group.reduce((rest, { delta }) => rest - delta, after))
    const words = describeChange(own[0]?.name ?? type ?? 'limits or imported totals', before, after)
    const [first, other] = group
    const isSure = type !== undefined && first && !other && score[0] !== null
    return isSure ? `${words}${describeCause(first.cause, own[1] ? '' : own[0]?.value)}` : words
  })
}
