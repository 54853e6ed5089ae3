import type { Standing } from '../../domain/score-distribution.ts'
import { formatFigure, toCoordinate } from '../format.ts'
import { type Html, html } from '../html.ts'

const [WIDTH, HEIGHT] = [320, 80]

/** A small histogram of all scores with the median, beside the introduction. Screen readers get the caption only. */
export function renderScoreStrip({ distribution, median, scale, step, total, highest }: Standing): Html {
  if (total < MOST_WITHOUT || highest <= 0) return html``
  const shown = distribution.slice(0, -1)
  const width = WIDTH / shown.length
  const most = Math.max(...shown, 1)
  const bars = shown.map((people, at) => {
    const height = toCoordinate((people / most) * HEIGHT)
    return html`<rect x="${toCoordinate(at * width)}" y="${toCoordinate(HEIGHT - height)}" width="${toCoordinate(width * 0.8)}" height="${height}"/>`
  })
  const middle = toCoordinate(Math.min(WIDTH, (median / step) * width))
  return html`<figure class="strip">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars}<path d="M${middle} 0V${HEIGHT}"/></svg>
<p aria-hidden="true"><span>0</span><span>${formatFigure(scale)}</span></p>
<figcaption>Half of all people score ${formatFigure(median)} or more; the highest score is ${formatFigure(highest)}.</figcaption>
</figure>`
}

/** A histogram of fewer people says nothing. */
const MOST_WITHOUT = 20
