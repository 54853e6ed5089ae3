import type { Passport } from '../domain/passport.ts'
import { formatFigure, nameOf } from './format.ts'
import { escapeText, type Html, html } from './html.ts'
import { shortWord } from './sanitize.ts'
import { renderScoreBar, SCORE_PARTS } from './score-bar.ts'

/** Passports of one score share a rank. */
export type Ranked = { passport: Passport; rank: number }

const MOST_TAGS = 3
const LONGEST_WORD = 60

export function renderRankingList(ranked: readonly Ranked[], highest: number): Html {
  return html`<ul class="legend" aria-hidden="true">${SCORE_PARTS.map((part) => html`<li class="${part}">${part}</li>`)}</ul>${HUMAN_MARK}
<ol class="ranking" role="list">
${ranked.map((each) => renderRow(each, highest))}</ol>`
}

/** There are many on a page: put together by hand, each takes a third of the time. Whatever is text must be escaped. */
function renderRow({ passport, rank }: Ranked, highest: number): Html {
  const { id, scores, human } = passport
  return {
    markup: `<li>
<span class="rank"><span class="unseen">Rank </span>${formatFigure(rank)}</span>
<span class="who"><a href="/passports/${id}"><bdi>${escapeText(nameOf(passport))}</bdi></a>${human ? HUMAN : ''}${renderAbout(passport)}</span>
${renderScoreBar(scores, highest).markup}
<span class="score"><span class="unseen">Score </span>${formatFigure(scores.total)}</span>
</li>
`,
  }
}

const HUMAN = ' <svg class="human" role="img" aria-label="Checked to be human"><use href="#human"/></svg>'

/** Drawn once, and used by every row. */
const HUMAN_MARK = html`<svg width="0" height="0" aria-hidden="true"><symbol id="human" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.5" stroke-width="1"/><path d="m4.5 8.3 2.4 2.4 4.6-5"/></symbol></svg>`

/** Where, and what about, in small. */
function renderAbout({ profile: { location, tags } }: Passport): string {
  let words = renderWord(location)
  for (let at = 0; at < tags.length && at < MOST_TAGS; at++) words += renderWord(tags[at] as string)
  if (words === '') return ''
  const more = tags.length > MOST_TAGS ? `<bdi>+${tags.length - MOST_TAGS}</bdi>` : ''
  return `<span class="about">${words}${more}</span>`
}

function renderWord(text: string): string {
  const word = shortWord(text, LONGEST_WORD)
  return word === '' ? '' : `<bdi>${escapeText(word)}</bdi>`
}

/** The address of a page of the list; the first has none of its own. */
export function addressOf(page: number, typed: string): string {
  const query = new URLSearchParams()
  if (typed !== '') query.set('q', typed)
  if (page > 1) query.set('page', String(page))
  return query.size === 0 ? '/' : `/?${query}`
}

/** The way to other pages; nothing where there is only one. */
export function renderPager(page: number, last: number, typed: string): Html {
  if (last === 1) return html``
  const link = (target: number, text: string, relation: string) =>
    target === page || target < 1 || target > last
      ? html`<span aria-hidden="true">${text}</span>`
      : html`<a href="${addressOf(target, typed)}"${relation === '' ? html`` : html` rel="${relation}"`}>${text}</a>`
  return html`<nav class="pager" aria-label="Pages of the list">
${link(1, 'First', '')}
${link(page - 1, 'Previous', 'prev')}
<span class="at">Page ${formatFigure(page)} of ${formatFigure(last)}</span>
${link(page + 1, 'Next', 'next')}
${link(last, 'Last', '')}
</nav>`
}
