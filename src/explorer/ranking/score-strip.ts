import type { Standing } from '../../catalog/score-distribution.ts'
import { formatFigure } from '../format.ts'
import { drawHistogram } from '../histogram.ts'
import { type Html, html } from '../html.ts'

/** A small histogram of all scores with the median, beside the introduction. */
export function renderScoreStrip({ distribution, median, scale, step, total, highest }: Standing): Html {
  if (total < MOST_WITHOUT || highest <= 0) return html``
  return html`<figure class="strip">
${drawHistogram(distribution.slice(0, -1), { className: 'bars', line: median / step })}
<p aria-hidden="true"><span>0</span><span>${formatFigure(scale)}</span></p>
<figcaption>Half of all people score ${formatFigure(median)} or more; the highest score is ${formatFigure(highest)}.</figcaption>
</figure>`
}

/** A histogram of fewer people says nothing. */
const MOST_WITHOUT = 20
