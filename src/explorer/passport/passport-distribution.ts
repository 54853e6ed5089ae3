import { bucketOf, type Standing } from '../../domain/score-distribution.ts'
import { formatFigure, formatPeople, toCoordinate } from '../format.ts'
import { type Html, html } from '../html.ts'
import { describeHighRank } from './passport-score.ts'

const [WIDTH, HEIGHT] = [400, 100]

/** The histogram of all scores, with this one and the median. Screen readers get the caption only. */
export function renderDistribution(score: number, standing: Standing): Html {
  const { distribution, median, scale, step, total } = standing
  // The ranking is not available right after a start.
  if (total < 2 || standing.highest <= 0) return html``
  const own = bucketOf(score, standing)
  const isBeyond = (distribution.at(-1) ?? 0) > 0
  const shown = isBeyond ? distribution : distribution.slice(0, -1)
  const width = WIDTH / shown.length
  const middle = toCoordinate(Math.min(WIDTH, (median / step) * width))
  const rank = describeHighRank(standing)
  return html`<section id="standing">
<h2>Among ${formatFigure(total)} people</h2>
${rank === '' ? html`` : html`<p>${rank}</p>`}
<figure>
<svg class="distribution" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${drawBars(shown, own, standing)}<path class="median" d="M${middle} 0V${HEIGHT}"/></svg>
<p class="axis soft" aria-hidden="true"><span>0</span><span>${formatFigure(scale)}${isBeyond ? ' and more' : ''}</span></p>
<figcaption class="soft">${describeBucket(own, distribution[own] ?? 0, standing)} The dashed line is the median, ${formatFigure(median)}.</figcaption>
</figure>
</section>`
}

/** The highlighted bar includes this passport. */
function describeBucket(bucket: number, people: number, standing: Standing): string {
  return `Highlighted: ${formatPeople(people)} with a score ${describeEdges(bucket, standing)}.`
}

function describeEdges(bucket: number, { scale, step }: Standing): string {
  const low = bucket * step
  if (low >= scale) return `above ${formatFigure(scale)}`
  return `from ${formatFigure(low)} to ${formatFigure(low + step)}`
}

function drawBars(counts: readonly number[], own: number, standing: Standing): Html[] {
  const width = WIDTH / counts.length
  const scale = HEIGHT / Math.max(...counts, 1)
  return counts.flatMap((people, at) => {
    if (people === 0) return []
    // Bars have a minimum height, so that rare scores are visible.
    const height = toCoordinate(Math.max(3, people * scale))
    const words = `${formatPeople(people)} ${describeEdges(at, standing)}`
    return html`<rect${at === own ? html` class="own"` : html``} x="${toCoordinate(at * width)}" y="${toCoordinate(HEIGHT - height)}" width="${toCoordinate(width - Math.min(2, width / 4))}" height="${height}"><title>${words}</title></rect>`
  })
}
