import { roundUp } from '../../catalog/score-distribution.ts'
import { count } from '../../domain/text/format.ts'
import { drawHistogram } from '../design/charts.ts'
import { formatFigure, formatPeople } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'

const MOST_BUCKETS = 20

/** A histogram of the points that holders have: all of them, or an even sample of a long list. */
export function renderPoints(scores: readonly number[], most: number, holders: number): Html {
  if (scores.length < 2) return html``
  const sorted = scores.toSorted((one, other) => one - other)
  const end = Math.max(most, sorted.at(-1) ?? 0, 1)
  const step = Math.max(1, roundUp(end / MOST_BUCKETS))
  const buckets = new Array<number>(Math.ceil(end / step)).fill(0)
  for (const score of sorted) {
    const bucket = Math.min(buckets.length - 1, Math.max(0, Math.ceil(score / step) - 1))
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const describeBar = (people: number, at: number) => {
    const range =
      step === 1
        ? count(at + 1, 'point')
        : `${formatFigure(at * step + 1)} to ${formatFigure((at + 1) * step)} points`
    return `${range}: ${formatPeople(people)}`
  }
  return html`<section>
<h2>Points</h2>
<figure>
${drawHistogram(buckets, { describe: describeBar })}
<p class="row between axis soft" aria-hidden="true"><span>0</span><span>${count(buckets.length * step, 'point')}</span></p>
<figcaption class="soft">${describe(sorted, most, holders)}</figcaption>
</figure>
</section>`
}

function describe(sorted: readonly number[], most: number, holders: number): string {
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const full = sorted.filter((score) => score >= most).length
  const basis =
    sorted.length < holders
      ? `${formatFigure(sorted.length)} of ${formatPeople(holders)}`
      : `all ${formatPeople(holders)}`
  const maximum = full === 0 ? 'none has' : `${formatFigure(full)} ${full === 1 ? 'has' : 'have'}`
  return `Half have ${count(median, 'point')} or more, ${maximum} the maximum of ${formatFigure(most)}. Based on ${basis}.`
}
