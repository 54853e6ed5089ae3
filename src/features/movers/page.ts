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
    const list = await findSections(options, request)
    const { selection, sections, isCurrent } = list
    const [period, title, feed] = [periodOf(selection), titleOf(selection), feedOf(selection)]
    const first = sections.flatMap(({ movers }) => movers.slice(0, 1).map(describeMover))
    const share = { path: moversAddress(selection) }
    const rendered = respondPage({
      site,
      share,
      script: SHARE,
      title,
      description: [`Whose score rose or fell in ${period}, and why`, ...first].join('. '),
      head: html`<link rel="alternate" type="application/atom+xml" title="Movers of ${period}" href="${feed}">\n`,
      main: html`<div class="cover activity">
<h1>Movers</h1>
${renderLead(selection)}
<div class="row actions">
${renderPeriods(selection)}
${SHARE_BUTTON}<a class="button quiet" href="${feed}">Atom feed</a>
</div>
</div>
${renderSharePanel({ ...share, title }, `${title} on ${site.name}`, site.origin)}
<div class="pair">${sections.map((section) => renderSection(section, selection))}</div>
${renderComparedTimes(list)}`,
    })
    return isCurrent ? rendered : withoutCaching(rendered)
  },
})

function renderLead({ days, sort }: Selection): Html {
  const others = sort
    ? html`<a href="${moversAddress({ days })}">Show all movers</a>`
    : html`Jump to <a href="#change">falls</a> or <a href="#-added">new people</a>.`
  return html`<p class="lead">Whose score changed in ${periodOf({ days })}, by how much, and why. ${others}</p>`
}

function renderPeriods({ days, sort }: Selection): Html {
  const links = PERIODS.map((period) => {
    const current = period === days && html` aria-current="true"`
    const words = `${period} ${period === '1' ? 'day' : 'days'}`
    return html`<li><a href="${moversAddress({ days: period, sort })}"${current}>${words}</a></li>`
  })
  return html`<nav aria-label="Period"><ul class="segments soft">${links}</ul></nav>`
}

function renderComparedTimes({ selection: { sort = '-change' }, since }: MoversList): Html {
  const address = `/reference/v3/listPassportsV3?sort=${sort}&since=${presentTime(since).slice(0, 10)}`
  return html`<p class="soft">Scores of today, compared with those of ${renderDay(since)}.
Also as an <a href="${address}">API call</a>.</p>`
}

/** The same people as an Atom feed. A further change of a score is a new entry. */
export const createMoversFeed = (options: ExplorerOptions): ExplorerPage => ({
  ...cacheKeyOf(options),
  async render({ site: { name, origin }, ...request }) {
    if (origin === '') throw notFound()
    const { selection, since, sections, isCurrent } = await findSections(options, request, MOST_MOVERS)
    const movers = sections.flatMap((section) => section.movers).sort((a, b) => b.diff.at - a.diff.at)
    const address = `${origin}${feedOf(selection)}`
    const feed = html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${address}</id><title>Movers: ${name}</title>
<updated>${presentTime(movers[0]?.diff.at ?? since)}</updated><author><name>${name}</name></author>
<link rel="self" type="application/atom+xml" href="${address}"/>
<link rel="alternate" type="text/html" href="${origin}${moversAddress(selection)}"/>
${movers.map((mover) => renderEntry(mover, origin))}</feed>
`
    const page = file('application/atom+xml', feed.markup, POLICY.file)
    return isCurrent ? page : withoutCaching(page)
  },
})

function renderEntry(mover: Mover, origin: string): Html {
  const { passport, diff } = mover
  const address = `${origin}/passports/${passport.id}`
  return html`<entry><id>${address}#${diff.at}</id>
<title>${describeMover(mover)}</title><updated>${presentTime(diff.at)}</updated>
<link rel="alternate" type="text/html" href="${address}"/>
<summary>${describeCauses(mover).replaceAll('\n', '; ')}</summary></entry>
`
}

/** Without `sort`, the page shows the beginning of each list. */
type Selection = { days: string; sort?: MoversSort | undefined }

const periodOf = ({ days }: Selection) => `the last ${days === '1' ? 'day' : `${days} days`}`
const titleOf = ({ days, sort }: Selection) => `${sort ? TITLES[sort] : 'Movers'} of ${periodOf({ days })}`
const moversParameters = ({ days, sort }: Selection) => `?days=${days}${sort ? `&sort=${sort}` : ''}`
const feedOf = (selection: Selection) => `/movers.atom${moversParameters(selection)}`
const moversAddress = (selection: Selection) =>
  `/movers${moversParameters(selection)}`.replace(/\?days=7$/, '')

function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((name) => name === text)
  if (choice !== undefined) return choice
  throw invalidParameter(name, `${name} must be one of ${choices.join(', ')}, got ${quote(text)}.`)
}

/** Throws `invalid_request`. */
function readQuery(query: URLSearchParams): Selection {
  const [days, sort] = [query.get('days') || '7', query.get('sort')]
  return {
    days: parseChoice('days', days, PERIODS),
    sort: sort ? parseChoice('sort', sort, MOVERS_SORTS) : undefined,
  }
}

/** The start of a period is a full hour, so that pages can be cached. */
const beginOf = (now: number, days: string) => Math.floor(now / 3_600_000 - 24 * Number(days)) * 3_600_000

const cacheKeyOf = ({ now }: ExplorerOptions) => ({
  cacheKey: ({ query }: ExplorerRequest) => `${moversAddress(readQuery(query))} ${beginOf(now(), '0')}`,
})

type MoversList = Awaited<ReturnType<typeof findSections>>

async function findSections(options: ExplorerOptions, request: Omit<ExplorerRequest, 'site'>, most?: number) {
  const selection = readQuery(request.query)
  const limit = most ?? (selection.sort ? MOST_MOVERS : FIRST_MOVERS)
  request.charge(limit)
  const since = Math.max(
    (await options.store.events.log()).knownSince,
    beginOf(options.now(), selection.days),
  )
  const sorts = selection.sort ? [selection.sort] : MOVERS_SORTS
  const list = { since, limit, offset: 0, signal: request.signal }
  const find = async (sort: MoversSort) => ({ sort, ...(await findMovers(options, { sort, ...list })) })
  const sections = await Promise.all(sorts.map(find))
  return { selection, since, sections, isCurrent: sections.every((section) => section.isCurrent) }
}

type Section = { sort: MoversSort; movers: readonly Mover[]; total: number }

function renderSection({ sort, movers, total }: Section, { days, sort: only }: Selection): Html {
  const rows = movers.map((mover) => renderMover(mover, sort))
  const isPart = movers.length < total
  const range = `${isPart ? `1 to ${movers.length} of ` : ''}${formatFigure(total)}`
  const order = sort === '-added' && total > 1 && ', the latest first'
  const none = html`<p class="nothing panel">${NONE[sort]} in ${periodOf({ days })}.</p>`
  const more = html`<p><a href="${moversAddress({ days, sort })}">More ${TITLES[sort].toLowerCase()}</a></p>`
  return html`<div>
<h2 id="${sort}">${TITLES[sort]} <span class="soft">${range}${order}</span></h2>
${total === 0 ? none : html`<ol class="ranking panel" role="list">${rows}</ol>`}
${isPart && !only && more}
</div>
`
}

function renderMover(mover: Mover, sort: MoversSort): Html {
  const { id } = mover.passport
  const isNew = sort === '-added'
  const [figure, steps, change] = describeScore(mover)
  const [cause = '', ...causes] = describeCauses(mover).split('\n')
  const others = causes.length > 0 && html`<span class="about">${causes.join(' · ')}</span>`
  const name = html`<a class="name clamp" href="/passports/${id}"><bdi>${shortNameOf(mover.passport)}</bdi></a>`
  const who = html`<span class="who">${name}<span class="soft detail"><span>${cause}</span>${others}</span></span>`
  const detail = html`<span class="soft detail">${isNew ? renderDay(mover.diff.at) : steps}</span>`
  const score = change === undefined ? figure : renderChange(change)
  const rank = html`<span class="rank">${!isNew && formatFigure(mover.rank)}</span>`
  return html`<li>${rank}${rosette(id, 'small')}${who}<span class="score">${score}${detail}</span></li>
`
}

function describeScore({ diff: { score } }: Mover): [figure: string, steps: string, change?: number] {
  const [before, end] = score
  const after = end ?? 0
  if (before === null) return [formatFigure(after), 'new']
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
    const [first, second] = group
    const isSure = type !== undefined && first && !second && score[0] !== null
    return isSure ? `${words}${describeCause(first.cause, own[1] ? '' : own[0]?.value)}` : words
  })
}
