import { foldName } from '../core/basics/text/fold-name.ts'
import { equals } from '../core/lists/filter.ts'
import { NO_SCORES, type Passport, type Scores } from '../core/passport/passport.ts'
import type { Reason } from '../core/reads/search.ts'
import { CATEGORIES, renderScoreBar, SCORE_PARTS } from './charts.ts'
import { escapeText, type Html, html } from './html.ts'
import type { Figure, PeopleQuery } from './list-address.ts'
import * as lists from './list-address.ts'
import { rosette } from './rosette.ts'
import { formatFigure, graphemesOf, nameOf, renderWord, shortenText, shortWord } from './text.ts'

const [MAX_TAGS, MAX_NAME_LENGTH] = [2, 80]

/** `rank` is the rank among all passports, or among those that match the filters. Equal scores have the same rank. */
export type Ranked = {
  passport: Passport
  rank: number
  reason?: Reason | undefined
  note?: string | undefined
  level?: Html
}

/** Shows a part of the score, or the points for a credential, as the figure and the bar. The note has the score. */
export const showPart = ({ scores, ...passport }: Passport, figure: number, part: keyof Scores) => ({
  passport: { ...passport, scores: { ...NO_SCORES, total: figure, [part]: figure } },
  note: `score ${formatFigure(scores.total)}`,
})

type RankingList = { ranked: readonly Ranked[]; scale: number; query: PeopleQuery; among?: number }

/** Rows with check boxes for a comparison; the form works without a script. */
export function renderRankingList({ ranked, scale, query, among }: RankingList): Html {
  const named = new Set(lists.valuesOf(query, 'tag'))
  const figure = lists.figureOf(query)
  const isAmong = lists.isFiltered(query) && among !== undefined
  const rank = isAmong ? `Rank among ${query.text === '' ? 'these' : 'all'} ${formatFigure(among)}` : 'Rank'
  return html`<ol class="ranking panel" role="list">
<li class="labels" aria-hidden="true"><div class="row between"><span>${rank}</span>${figure === 'total' && LEGEND}</div><span>${FIGURES[figure]}</span><span>Compare</span></li>
${ranked.map((each) => renderRow(each, scale, query, named))}</ol>
<form id="compare" action="/compare" class="compare-bar panel"><button type="submit">Compare selected</button><span class="soft" aria-live="polite">two to four people</span><button type="reset" class="quiet">Clear</button></form>`
}

const LEGEND = html`<span class="legend">${SCORE_PARTS.map((part) => html`<span class="${part}"><span class="swatch"></span> ${part}</span>`)}</span>`

/** Concatenated for speed: three times as fast as `html`. All text must be escaped. */
function renderRow(each: Ranked, scale: number, query: PeopleQuery, named: ReadonlySet<unknown>): Html {
  const { passport, rank, level } = each
  const { id, scores } = passport
  const name = shortenText(nameOf(passport), MAX_NAME_LENGTH)
  return {
    markup: `<li id="p${id}">
<span class="rank"><span class="unseen">Rank </span>${formatFigure(rank)}</span>
${rosette(id, 'small').markup}
<span class="who"><a class="name clamp" href="/passports/${id}"><bdi>${highlight(name, foldName(query.text.replaceAll('"', '')))}</bdi></a>${renderAbout(each, query, named)}</span>
<span class="scale">${renderScoreBar(scores, scale).markup}${level?.markup ? `<span class="level soft">${level.markup}</span>` : ''}</span>
<span class="score"><span class="unseen">${FIGURES[lists.figureOf(query)]} </span>${formatFigure(scores.total)}</span>
<input type="checkbox" form="compare" name="ids" value="${id}" aria-label="${escapeText(`Compare ${name}`)}">
</li>
`,
  }
}

export const FIGURES: Record<Figure, string> = { total: 'Score', ...CATEGORIES, points: 'Points' }

/**
 * What was found comes first, because a narrow row ends early, then the tags of filters. Links to tags and places keep
 * the filters.
 */
function renderAbout(each: Ranked, query: PeopleQuery, named: ReadonlySet<unknown>): string {
  const { passport, reason, note = '' } = each
  const { location, tags } = passport.profile
  let words = note === '' ? '' : `<b>${escapeText(note)}</b>`
  if (reason) words += `<bdi>${renderReason(reason)}</bdi>`
  if (passport.human) words += '<span class="pill">human</span>'
  words += renderLink(query, 'location', location)
  const isFirst = (tag: string) => Number(named.has(foldName(tag)))
  const sorted = tags.toSorted((one, other) => isFirst(other) - isFirst(one))
  for (const tag of sorted.slice(0, MAX_TAGS)) words += renderLink(query, 'tag', tag)
  if (tags.length > MAX_TAGS) words += `<bdi>+${tags.length - MAX_TAGS}</bdi>`
  return words === '' ? '' : `<span class="about">${words}</span>`
}

function renderLink(query: PeopleQuery, field: 'location' | 'tag', text: string): string {
  const terms = [equals(field, text)]
  const address = lists.hasTerms(query, terms) ? '' : lists.addressOf(lists.withTerms(query, terms))
  return renderWord(field, text, undefined, address).markup
}

function renderReason({ text, start, end }: Reason): string {
  const cut = (from: number, to?: number) => escapeText(shortWord(text.slice(from, to), 60))
  // A wallet has no source before it, and its rest is shortened: "0xde30ab…12cd".
  const isWallet = /^0x[\da-f]{40}$/i.test(text.slice(start))
  const rest = isWallet && end - start < 36 ? `…${text.slice(-4)}` : cut(end)
  return `${isWallet ? '' : cut(0, start)}<mark>${cut(start, end)}</mark>${rest}`
}

export function renderPager(page: number, last: number, addressOf: (page: number) => string): Html {
  if (last === 1) return html``
  const link = (target: number, text: string, relation: string) =>
    target === page || target < 1 || target > last
      ? html``
      : html`<a href="${addressOf(target)}"${relation !== '' && html` rel="${relation}"`}>${text}</a>`
  return html`<nav class="pager" aria-label="Pages of the list">
<span>${link(1, 'First', '')} ${link(page - 1, 'Previous', 'prev')}</span>
<span class="at">Page ${formatFigure(page)} of ${formatFigure(last)}</span>
<span>${link(page + 1, 'Next', 'next')} ${link(last, 'Last', '')}</span>
</nav>`
}

/**
 * Escapes text and marks a match of each word of a folded name, at the beginning of a word if possible. A mark covers
 * whole graphemes.
 */
export function highlight(text: string, typed: string): string {
  if (typed === '') return escapeText(text)
  const graphemes = [...graphemesOf(text)]
  /** `starts` has the position of each grapheme in this text. `foldName` would remove a single space. */
  let folded = ''
  const starts = graphemes.map((grapheme) => {
    const start = folded.length
    folded += /\s/.test(grapheme) ? ' ' : foldName(grapheme)
    return start
  })
  const isMarked = new Array<boolean>(graphemes.length).fill(false)
  for (const word of new Set(typed.split(' '))) {
    const begun = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, 'u').exec(folded)?.index
    // A single character in the middle of a word matches by chance.
    const at = begun ?? (word.length > 1 ? folded.indexOf(word) : -1)
    if (at === -1) continue
    const first = starts.findLastIndex((start) => start <= at)
    const after = starts.findIndex((start) => start >= at + word.length)
    isMarked.fill(true, first, after === -1 ? graphemes.length : after)
  }
  const marked = graphemes.map(escapeText).map((text, at) => (isMarked[at] ? `<mark>${text}</mark>` : text))
  return marked.join('').replaceAll('</mark><mark>', '')
}
