import type { Passport } from '../../domain/passport.ts'
import { bucketOf, type Standing } from '../../domain/score-distribution.ts'
import { describeShare, formatFigure, formatOrdinal, renderDay, toCoordinate } from '../format.ts'
import { type Html, html } from '../html.ts'
import { CATEGORIES, renderScoreBar, SCORE_PARTS } from '../score-bar.ts'

export function renderScore({ scores, calculatedAt }: Pick<Passport, 'scores' | 'calculatedAt'>): Html {
  return html`<section id="score">
<h2>Score</h2>
<p class="large">${formatFigure(scores.total)}</p>
${renderScoreBar(scores, scores.total)}
<dl class="parts">${SCORE_PARTS.map((part) => html`<div class="${part}"><dt>${CATEGORIES[part]}</dt><dd>${formatFigure(scores[part])}</dd></div>`)}</dl>
<p class="soft">Calculated on ${renderDay(calculatedAt)}</p>
</section>`
}

export function renderStanding(score: number, standing: Standing): Html {
  const { rank, total, highest } = standing
  // The ranking is not available right after a start.
  if (total === 0) return html``
  return html`<section id="standing">
<h2>Rank</h2>
<p class="large">${formatOrdinal(Math.min(rank, total))} <span>of ${formatFigure(total)}</span></p>
<p>${describeBelow(standing)}</p>
${highest > 0 ? renderDistribution(score, standing) : html``}
</section>`
}

function describeBelow(standing: Standing): string {
  const { below, total } = standing
  if (below === 0) return 'No passport has a lower score.'
  const share = describeShare(standing)
  if (share === '') return `Higher than ${formatFigure(below)} of ${formatFigure(total)} passports.`
  return `H${share.slice(1)} of passports.`
}

function renderDistribution(score: number, standing: Standing): Html {
  const { distribution, highest, total, step: width } = standing
  const own = bucketOf(score, standing)
  const bars = drawBars(distribution)
  const step = WIDTH / distribution.length
  const edge = (at: number) => formatFigure(width * at)
  return html`<figure>
<svg class="distribution" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="distribution"><path class="lane" d="M${own * step - 1} 0h${step}v${HEIGHT}h-${step}z"/><path d="${bars.join('')}"/><path class="own" d="${bars[own] ?? ''}"/></svg>
<p class="axis soft" aria-hidden="true"><span>0</span><span>${formatFigure(highest)}</span></p>
<figcaption id="distribution" class="soft">Passports by score, from 0 to ${formatFigure(highest)}. The highlighted bar, from ${edge(own)} to ${edge(own + 1)}, includes this one and has ${formatFigure(distribution[own] ?? 0)} of ${formatFigure(total)} passports.</figcaption>
</figure>`
}

const [WIDTH, HEIGHT] = [400, 100]

function drawBars(distribution: readonly number[]): string[] {
  const step = WIDTH / distribution.length
  const scale = HEIGHT / Math.max(...distribution, 1)
  // Bars have a minimum height, so that rare scores are visible.
  return distribution.map((count, at) =>
    count === 0
      ? ''
      : `M${at * step} ${HEIGHT}v-${toCoordinate(Math.max(2, count * scale))}h${step - 2}V${HEIGHT}z`,
  )
}
