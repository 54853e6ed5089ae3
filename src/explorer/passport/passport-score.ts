import type { Standing } from '../../catalog/score-distribution.ts'
import { type Caps, roundScore } from '../../domain/credential.ts'
import type { Passport, Scores } from '../../domain/passport.ts'
import { type Level, levelOf } from '../../domain/rule-set.ts'
import { count } from '../../domain/text/format.ts'
import { describeTop, formatFigure, formatOrdinal, formatPeople, renderDay } from '../format.ts'
import { type Html, html } from '../html.ts'
import { CATEGORIES, renderScoreBar, SCORE_PARTS } from '../score-bar.ts'
import type { PartStandings } from './part-standings.ts'
import { isSum, renderExplanation } from './passport-explanation.ts'

export type ScoreContext = {
  standing: Standing
  parts: PartStandings
  levels: readonly Level[]
  caps: Caps
}

/** The score with the best true statement about it, for the top of the page. */
export function renderScore(
  { scores }: Passport,
  credentials: number,
  { standing, parts, levels }: ScoreContext,
): Html {
  const best =
    describeHighest(scores, standing, parts) || (credentials > 0 ? count(credentials, 'credential') : '')
  return html`<section id="score">
<h2>Passport score</h2>
<p class="large">${formatFigure(scores.total)}</p>
${renderLevel(scores.total, levels)}
${best === '' ? html`` : html`<p class="best">${best}</p>`}
</section>`
}

function renderLevel(total: number, levels: readonly Level[]): Html {
  const found = levelOf(total, { levels })
  if (!found) return html``
  const { level, next } = found
  const left = next && ` ${count(roundScore(next.from - total), 'point')} to ${next.name}`
  return html`<p class="level"><strong>${level.name}</strong>${left ? html`<span class="soft">${left}</span>` : html``}</p>`
}

/** Weaker standings are no headline. */
const HIGHEST_PERCENT = 33

/** The smallest share of people with such a score, overall or in a part; empty if it is large. */
export function describeHighest(scores: Scores, { below, total }: Standing, parts: PartStandings): string {
  const overall = { words: 'overall', atLeast: scores.total > 0 ? total - below : total }
  const others = SCORE_PARTS.flatMap((part) => {
    const atLeast = parts[part]
    return atLeast === undefined ? [] : [{ words: `in ${CATEGORIES[part]}`, atLeast }]
  })
  const [best = overall] = [overall, ...others].toSorted((one, other) => one.atLeast - other.atLeast)
  const top =
    total > 0 && 100 * best.atLeast <= HIGHEST_PERCENT * total ? describeTop(best.atLeast, total) : ''
  return top === '' ? '' : `${top} ${best.words}`
}

/** Without a high standing, the strongest part. */
export function describeBest(scores: Scores, standing: Standing, parts: PartStandings): string {
  const highest = describeHighest(scores, standing, parts)
  if (highest !== '') return highest
  const [strongest] = SCORE_PARTS.toSorted((one, other) => scores[other] - scores[one])
  return strongest && scores[strongest] > 0 ? `Strongest in ${CATEGORIES[strongest]}` : ''
}

export function describeHighRank({ rank, total }: Standing): string {
  return total > 1 && 100 * rank <= HIGHEST_PERCENT * total
    ? `${formatOrdinal(rank)} of ${formatPeople(total)}`
    : ''
}

/** The parts of the score, with the standing of each. */
export function renderParts(passport: Passport, { standing, parts, caps }: ScoreContext): Html {
  const { scores, calculatedAt } = passport
  const given = roundScore(
    scores.total - SCORE_PARTS.reduce((sum, part) => sum + Math.max(0, scores[part]), 0),
  )
  return html`<section id="parts">
<h2>Score by part</h2>
<div aria-hidden="true">${renderScoreBar(scores, scores.total)}</div>
<dl class="parts">${SCORE_PARTS.map((part) => {
    const top = standing.total > 0 ? describeTop(parts[part] ?? standing.total, standing.total) : ''
    return html`<div class="${part}"><dt><span class="swatch"></span>${CATEGORIES[part]}</dt><dd>${formatFigure(scores[part])}${top === '' ? html`` : html` <span class="soft">${top}</span>`}</dd></div>`
  })}${given > 0 ? html`<div class="other"><dt><span class="swatch"></span>Given by the record</dt><dd>${formatFigure(given)}</dd></div>` : html``}</dl>
${renderExplanation(passport, caps)}
${isSum(scores, caps) ? html`<p class="soft">Calculated on ${renderDay(calculatedAt)}</p>` : html``}
</section>`
}
