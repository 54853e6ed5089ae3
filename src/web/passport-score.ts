import type { Passport } from '../domain/passport.ts'
import { type Standing, stretchOf } from '../domain/standing.ts'
import { formatNumber, formatOrdinal, renderDay, toCoordinate } from './figures.ts'
import { type Html, html } from './html.ts'

/** The score, and the three parts that it is made of. */
export function renderScore({ scores, calculatedAt }: Pick<Passport, 'scores' | 'calculatedAt'>): Html {
  const parts = [
    { name: 'Activity', part: 'activity', score: scores.activity },
    { name: 'Identity', part: 'identity', score: scores.identity },
    { name: 'Skills', part: 'skills', score: scores.skills },
  ]
  const sum = scores.activity + scores.identity + scores.skills
  // Parts may be more than the total, where they are capped, or less, where only the total is known.
  const scale = 100 / (Math.max(sum, scores.total) || 1)
  let from = 0
  const stack = parts.map(({ part, score }) => {
    const width = toCoordinate(Math.max(0, score) * scale)
    const x = from
    from += width
    return width === 0
      ? html``
      : html`<rect class="${part}" x="${toCoordinate(x)}" width="${width}" height="1"/>`
  })
  return html`<section id="score">
<h2>Score</h2>
<p class="large">${formatNumber(scores.total)}</p>
<svg class="stack" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${stack}</svg>
<dl class="legend">${parts.map(({ name, part, score }) => html`<div class="${part}"><dt>${name}</dt><dd>${formatNumber(score)}</dd></div>`)}</dl>
<p class="soft">Calculated on ${renderDay(calculatedAt)}</p>
</section>`
}

/** "12th of 1,000"; nothing where the order is not known yet. */
export const describeRank = ({ rank, total }: Standing): string | undefined =>
  total === 0 ? undefined : `${formatOrdinal(Math.min(rank, total))} of ${formatNumber(total)}`

/** Where the score stands among all passports. */
export function renderStanding(score: number, standing: Standing): Html {
  const rank = describeRank(standing)
  if (rank === undefined) return html``
  const [place, ...of] = rank.split(' ')
  return html`<section id="standing">
<h2>Rank</h2>
<p class="large">${place ?? ''} <span>${of.join(' ')}</span></p>
<p>${describeShare(standing)}</p>
${standing.highest > 0 ? renderDistribution(score, standing) : html``}
</section>`
}

function describeShare({ below, total }: Standing): string {
  if (below === 0) return 'No passport has a lower score.'
  const share = (100 * below) / total
  if (share < 1) return `Higher than ${formatNumber(below)} of ${formatNumber(total)} passports.`
  // Rounded down, and finer at the top: nobody is higher than all.
  return `Higher than ${share < 99 ? Math.floor(share) : Math.floor(share * 10) / 10}% of passports.`
}

function renderDistribution(score: number, { distribution, highest, total }: Standing): Html {
  const own = stretchOf(score, highest)
  const bars = drawBars(distribution)
  const step = WIDTH / distribution.length
  const edge = (at: number) => formatNumber((highest * at) / distribution.length)
  return html`<figure>
<svg class="distribution" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="distribution"><path class="lane" d="M${own * step - 1} 0h${step}v${HEIGHT}h-${step}z"/>${bars.all}<path class="own" d="${bars.each[own] ?? ''}"/></svg>
<p class="axis soft" aria-hidden="true"><span>0</span><span>${formatNumber(highest)}</span></p>
<figcaption id="distribution" class="soft">How many passports have which score, from 0 to ${formatNumber(highest)}. The marked bar, from ${edge(own)} to ${edge(own + 1)}, is where this one is: ${formatNumber(distribution[own] ?? 0)} of ${formatNumber(total)}.</figcaption>
</figure>`
}

const [WIDTH, HEIGHT] = [400, 100]

type Bars = { each: readonly string[]; all: Html }

/** Until the order of all passports changes, the distribution is the same array for every page. */
const drawn = new WeakMap<readonly number[], Bars>()

function drawBars(distribution: readonly number[]): Bars {
  const known = drawn.get(distribution)
  if (known) return known
  const step = WIDTH / distribution.length
  const scale = HEIGHT / Math.max(...distribution, 1)
  // Scores that are rare still show.
  const each = distribution.map((count, at) =>
    count === 0
      ? ''
      : `M${at * step} ${HEIGHT}v-${toCoordinate(Math.max(2, count * scale))}h${step - 2}V${HEIGHT}z`,
  )
  const bars = { each, all: html`<path d="${each.join('')}"/>` }
  drawn.set(distribution, bars)
  return bars
}
