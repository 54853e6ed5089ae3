import { bucketOf, type Standing } from '../../catalog/score-distribution.ts'
import { formatFigure, formatPeople } from '../format.ts'
import { drawHistogram } from '../histogram.ts'
import { type Html, html } from '../html.ts'
import { describeHighRank } from './passport-score.ts'

/** The histogram of all scores, with this one and the median. */
export function renderDistribution(score: number, standing: Standing): Html {
  const { distribution, median, scale, step, total } = standing
  // The ranking is not available right after a start.
  if (total < 2 || standing.highest <= 0) return html``
  const own = bucketOf(score, standing)
  const isBeyond = (distribution.at(-1) ?? 0) > 0
  const shown = isBeyond ? distribution : distribution.slice(0, -1)
  const bars = drawHistogram(shown, {
    className: 'distribution',
    describe: (people, at) => `${formatPeople(people)} ${describeEdges(at, standing)}`,
    own,
    line: median / step,
  })
  const rank = describeHighRank(standing)
  return html`<section id="standing">
<h2>Among ${formatFigure(total)} people</h2>
${rank === '' ? html`` : html`<p>${rank}</p>`}
<figure>
${bars}
<p class="axis soft" aria-hidden="true"><span>0</span><span>${formatFigure(scale)}${isBeyond ? ' and more' : ''}</span></p>
<figcaption class="soft">Highlighted: ${formatPeople(distribution[own] ?? 0)} with a score ${describeEdges(own, standing)}. The dashed line is the median, ${formatFigure(median)}.</figcaption>
</figure>
</section>`
}

function describeEdges(bucket: number, { scale, step }: Standing): string {
  const low = bucket * step
  if (low >= scale) return `above ${formatFigure(scale)}`
  return `from ${formatFigure(low)} to ${formatFigure(low + step)}`
}
