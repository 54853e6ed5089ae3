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

const [MAX_TAGS, MAX_NAME_LENGTH, MAX_REASON_LENGTH] = [2, 80, 60]

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
export function renderRankingList(list: RankingList): Html {
  const figure = lists.figureOf(list.query)
  const tags = new Set(lists.valuesOf(list.query, 'tag'))
  return html`<ol class="ranking panel" role="list">
<li class="labels" aria-hidden="true">
<div class="row between"><span>${describeRanks(list)}</span>${figure === 'total' && LEGEND}</div>
<span>${FIGURES[figure]}</span><span>Compare</span>
</li>
${list.ranked.map((person) => renderPerson(person, list, tags))}</ol>
<form id="compare" action="/compare" class="compare-bar panel">
<button type="submit">Compare selected</button>${COMPARE_HINT}<button type="reset" class="quiet">Clear</button>
</form>`
}

const COMPARE_HINT = html`<span class="soft" aria-live="polite">two to four people</span>`

function describeRanks({ query, among }: RankingList): string {
  if (!lists.isFiltered(query) || among === undefined) return 'Rank'
  return `Rank among ${query.text === '' ? 'these' : 'all'} ${formatFigure(among)}`
}

const renderSwatch = (part: string) => html`<span class="${part}"><span class="swatch"></span> ${part}</span>`

const LEGEND = html`<span class="legend">${SCORE_PARTS.map(renderSwatch)}</span>`

export const FIGURES: Record<Figure, string> = { total: 'Score', ...CATEGORIES, points: 'Points' }

function renderPerson(person: Ranked, { scale, query }: RankingList, tags: ReadonlySet<string>): Html {
  const { passport, rank, level = html`` } = person
  const { id, scores } = passport
  const name = shortenText(nameOf(passport), MAX_NAME_LENGTH)
  const levelWord = level.markup === '' ? level : html`<span class="level soft">${level}</span>`
  const link = html`<a class="name clamp" href="/passports/${id}"><bdi>${highlight(name, nameIn(query))}</bdi></a>`
  return html`<li id="p${id}">
<span class="rank"><span class="unseen">Rank </span>${formatFigure(rank)}</span>
${rosette(id, 'small')}
<span class="who">${link}${renderAbout(person, query, tags)}</span>
<span class="scale">${renderScoreBar(scores, scale)}${levelWord}</span>
<span class="score"><span class="unseen">${FIGURES[lists.figureOf(query)]} </span>${formatFigure(scores.total)}</span>
<input type="checkbox" form="compare" name="ids" value="${id}" aria-label="Compare ${name}">
</li>
`
}

const nameIn = ({ text }: PeopleQuery) => foldName(text.replaceAll('"', ''))

/** The reason comes first, because a narrow row ends early. Links to tags and places keep the filters. */
function renderAbout(
  { passport, reason, note = '' }: Ranked,
  query: PeopleQuery,
  tags: ReadonlySet<string>,
): Html {
  const { profile, human } = passport
  const isOther = (tag: string) => Number(!tags.has(foldName(tag)))
  const sorted = profile.tags.toSorted((a, b) => isOther(a) - isOther(b))
  const more = sorted.length - MAX_TAGS
  const words = [
    note === '' ? html`` : html`<b>${note}</b>`,
    reason ? renderReason(reason) : html``,
    human ? html`<span class="pill">human</span>` : html``,
    renderFacet(query, 'location', profile.location),
    ...sorted.slice(0, MAX_TAGS).map((tag) => renderFacet(query, 'tag', tag)),
    more > 0 ? html`<bdi>+${more}</bdi>` : html``,
  ]
  return words.every(({ markup }) => markup === '') ? html`` : html`<span class="about">${words}</span>`
}

function renderFacet(query: PeopleQuery, field: 'location' | 'tag', text: string): Html {
  const terms = [equals(field, text)]
  const address = lists.hasTerms(query, terms) ? '' : lists.addressOf(lists.withTerms(query, terms))
  return renderWord(field, text, undefined, address)
}

function renderReason({ text, start, end }: Reason): Html {
  const cut = (from: number, to?: number) => shortWord(text.slice(from, to), MAX_REASON_LENGTH)
  // A wallet has no source before it, and its rest is shortened: "0xde30ab…12cd".
  const isWallet = /^0x[\da-f]{40}$/i.test(text.slice(start))
  const rest = isWallet && end - start < 36 ? `…${text.slice(-4)}` : cut(end)
  return html`<bdi>${isWallet ? '' : cut(0, start)}<mark>${cut(start, end)}</mark>${rest}</bdi>`
}

export function renderPager(page: number, last: number, addressOf: (page: number) => string): Html {
  if (last === 1) return html``
  const link = (target: number, text: string, relation?: string) => {
    if (target === page || target < 1 || target > last) return html``
    return html`<a href="${addressOf(target)}"${relation && html` rel="${relation}"`}>${text}</a>`
  }
  return html`<nav class="pager" aria-label="Pages of the list">
<span>${link(1, 'First')} ${link(page - 1, 'Previous', 'prev')}</span>
<span class="at">Page ${formatFigure(page)} of ${formatFigure(last)}</span>
<span>${link(page + 1, 'Next', 'next')} ${link(last, 'Last')}</span>
</nav>`
}

/** Marks a match of each word of a folded name, if possible at the start of a word. A mark covers whole graphemes. */
export function highlight(text: string, typed: string): Html {
  if (typed === '') return html`${text}`
  const graphemes = [...graphemesOf(text)]
  const { folded, starts } = foldGraphemes(graphemes)
  const isMarked = new Array<boolean>(graphemes.length).fill(false)
  for (const word of new Set(typed.split(' '))) {
    const wordStart = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, 'u').exec(folded)?.index
    // A single character in the middle of a word matches by chance.
    const at = wordStart ?? (word.length > 1 ? folded.indexOf(word) : -1)
    if (at === -1) continue
    const first = starts.findLastIndex((start) => start <= at)
    const after = starts.findIndex((start) => start >= at + word.length)
    isMarked.fill(true, first, after === -1 ? graphemes.length : after)
  }
  const parts = graphemes.map(escapeText).map((part, at) => (isMarked[at] ? `<mark>${part}</mark>` : part))
  return { markup: parts.join('').replaceAll('</mark><mark>', '') }
}

/** `starts` has the position of each grapheme in the folded text. */
function foldGraphemes(graphemes: readonly string[]) {
  let folded = ''
  const starts = graphemes.map((grapheme) => {
    const start = folded.length
    // `foldName` would remove a single space.
    folded += /\s/.test(grapheme) ? ' ' : foldName(grapheme)
    return start
  })
  return { folded, starts }
}
