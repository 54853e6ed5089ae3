import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { type Caps, roundScore } from '../../../core/passport/credential.ts'
import type { Passport, Scores, Standing } from '../../../core/passport/passport.ts'
import { type Level, levelOf } from '../../../core/passport/rules/rule-set.ts'
import { CATEGORIES, renderScoreBar, SCORE_PARTS, segmentsOf } from '../../../ui/charts.ts'
import { renderProgress } from '../../../ui/credential-rows.ts'
import { type Html, html } from '../../../ui/html.ts'
import { renderLevel } from '../../../ui/level-mark.ts'
import { PAGE_SIZE } from '../../../ui/list-address.ts'
import { renderPeople } from '../../../ui/rosette.ts'
import * as text from '../../../ui/text.ts'

export function renderScore(total: number, levels: readonly Level[], details: readonly Html[]): Html {
  const { level, next } = levelOf(total, { levels }) ?? {}
  const points = next && count(roundScore(next.from - total), 'point')
  const left = next && html`<span class="soft"> ${points} to ${next.name}</span>`
  const figure = text.formatFigure(total)
  const progress = next && level && renderProgress(total - level.from, next.from - level.from)
  // A long score is smaller, so that it fits on one line of a phone.
  return html`<div id="score">
<h2>Passport score</h2>
<p class="large${figure.length > 7 && ' long'}">${figure}</p>
${
  level &&
  html`<p class="level">
<strong><a href="/about#levels">${renderLevel(total, levels)}</a></strong>${left}
</p>${progress}`
}
${details}
</div>`
}

/** Renders "12th of 529 people" with a link to that row of the ranking, which `above` other rows precede. */
export function renderRank(id: number, { rank, total }: Standing['total'], above: number): Html {
  if (total < 2) return html``
  const page = above < PAGE_SIZE ? '/' : `/?page=${Math.floor(above / PAGE_SIZE) + 1}`
  const ordinal = text.formatOrdinal(Math.min(rank, total))
  return html`<p class="last"><a href="${page}#p${id}">${ordinal} of ${text.formatPeople(total)}</a></p>`
}

type ScoreContext = { standing: Standing; caps: Caps; signs?: boolean | undefined }

export function renderParts(passport: Passport, { standing, caps, signs }: ScoreContext): Html {
  const { scores, calculatedAt } = passport
  const excess = roundScore(segmentsOf(scores).find(({ name }) => name === 'other')?.size ?? 0)
  // If the total is not the sum of its parts, the record gave it and no rule calculated it.
  const isSum = [sumOfPoints(scores, {}), sumOfPoints(scores, caps)].includes(scores.total)
  return html`<section id="parts">
<h2>${count(scores.total, 'point')} by part</h2>
<div aria-hidden="true">${renderScoreBar(scores, scores.total)}</div>
<dl class="parts">
${SCORE_PARTS.map((part) => {
  const ahead = text.describeAhead(standing[part], ' of people')
  return renderScorePart(part, CATEGORIES[part], scores[part], ahead)
})}
${excess > 0 && renderScorePart('other', 'Only in the total', excess)}
</dl>
${describeTotal(scores, caps)}
${isSum && renderDate(calculatedAt)}
<p class="row">
<a href="/passports/${passport.id}/score">How every point is calculated</a>
<a href="/about#parts">What the parts mean</a>
${signs && html`<a href="/verify#${passport.id}">Check this score</a>`}
</p>
</section>`
}

const renderScorePart = (part: string, name: string, points: number, ahead = '') => html`<div class="${part}">
<dt><span class="swatch"></span> ${name}</dt>
<dd>${text.formatFigure(points)}${ahead !== '' && html` <span class="soft detail">${ahead}</span>`}</dd>
</div>`

const renderDate = (
  calculatedAt: number,
) => html`<p class="soft">Calculated on ${text.formatDay(calculatedAt)}, and
again whenever data or rules change. Points that grow with time are those of that day.</p>`

export function renderAlike({ id, profile }: Passport, people: readonly Passport[]): Html {
  if (people.length === 0) return html``
  const ids = [id, ...people.map((person) => person.id)]
  return html`<section id="alike">
<h2>Similar people</h2>
<p class="soft">With the tag ${text.renderWord('tag', profile.tags[0] ?? '')} and the nearest scores</p>
${renderPeople(people, (passport) => `/passports/${passport}`)}
<p><a href="/compare?ids=${ids.join(',')}" rel="nofollow">Compare with them</a></p>
</section>`
}

/** Says why the total is not the sum of its parts; empty if it is. */
export function describeTotal(scores: Scores, caps: Caps): Html {
  const [sum, total] = [sumOfPoints(scores, {}), text.formatFigure(scores.total)]
  if (sum === scores.total) return html``
  return sumOfPoints(scores, caps) === scores.total
    ? html`<p>The sum is ${text.formatFigure(sum)}, limited to ${total} by the maximum of each part.</p>`
    : html`<p>The total of ${total} came with the imported record.</p>`
}

const pointsOfPart = (part: keyof typeof CATEGORIES, scores: Scores, caps: Caps): number =>
  Math.min(scores[part], caps[CATEGORIES[part]] ?? scores[part])

const sumOfPoints = (scores: Scores, caps: Caps): number =>
  roundScore(SCORE_PARTS.reduce((sum, part) => sum + pointsOfPart(part, scores, caps), 0))

export const describeParts = (scores: Scores, caps: Caps): string =>
  SCORE_PARTS.map(
    (part) => `${text.formatFigure(pointsOfPart(part, scores, caps))} ${CATEGORIES[part]}`,
  ).join(' + ')
