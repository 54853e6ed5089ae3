import { bucketOf, type Standing } from '../../catalog/score-standing.ts'
import { type Caps, type Credential, roundScore } from '../../domain/credential.ts'
import {
  type Cause,
  causesOf,
  type EventType,
  type LogEvent,
  type ScoreCause,
} from '../../domain/history/event.ts'
import type { Passport, Scores } from '../../domain/passport.ts'
import type { levelOf } from '../../domain/rule-set.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import type { Store } from '../../store/store.ts'
import { CATEGORIES, drawHistogram, renderScoreBar, SCORE_PARTS, type ScorePart } from '../design/charts.ts'
import { UNKNOWN } from '../design/credential-rows.ts'
import { type Html, html, renderWithin } from '../design/html.ts'
import {
  describeTop,
  formatChange,
  formatFigure,
  formatPeople,
  renderDay,
  shortWord,
  toCoordinate,
} from '../design/text.ts'
import { describeHighRank, type PartStandings } from '../site/standings.ts'

/** Renders the score for the top of the page. `best` is a headline such as "Top 4% in Skills", or empty. */
export function renderScore(total: number, reached: ReturnType<typeof levelOf>, best: string): Html {
  const { level, next } = reached ?? {}
  const left = next && ` ${count(roundScore(next.from - total), 'point')} to ${next.name}`
  return html`<div id="score">
<h2>Passport score</h2>
<p class="large">${formatFigure(total)}</p>
${level ? html`<p class="level"><strong>${level.name}</strong>${left ? html`<span class="soft">${left}</span>` : html``}</p>` : html``}
${best === '' ? html`` : html`<p class="best">${best}</p>`}
</div>`
}

type ScoreContext = { standing: Standing; parts: PartStandings; caps: Caps }

/** Renders the parts of the score, with the standing in each part. */
export function renderParts(passport: Passport, { standing, parts, caps }: ScoreContext): Html {
  const { scores, calculatedAt } = passport
  const given = roundScore(
    scores.total - SCORE_PARTS.reduce((sum, part) => sum + Math.max(0, scores[part]), 0),
  )
  // If the total is not the sum of its parts, the record gave it and no rule calculated it.
  const isSum = [sumOf(scores, {}), sumOf(scores, caps)].includes(scores.total)
  return html`<section id="parts">
<h2>Score by part</h2>
<div aria-hidden="true">${renderScoreBar(scores, scores.total)}</div>
<dl class="parts">${SCORE_PARTS.map((part) => {
    const top = standing.total > 0 ? describeTop(parts[part] ?? standing.total, standing.total) : ''
    return html`<div class="${part}"><dt><span class="swatch"></span>${CATEGORIES[part]}</dt><dd>${formatFigure(scores[part])}${top === '' ? html`` : html` <span class="soft">${top}</span>`}</dd></div>`
  })}${given > 0 ? html`<div class="other"><dt><span class="swatch"></span>Given by the record</dt><dd>${formatFigure(given)}</dd></div>` : html``}</dl>
${renderExplanation(passport, caps)}
${isSum ? html`<p class="soft">Calculated on ${renderDay(calculatedAt)}</p>` : html``}
</section>`
}

/** Renders a histogram of all scores, in which this score and the median are marked. */
export function renderDistribution(score: number, standing: Standing): Html {
  const { distribution, median, scale, step, total } = standing
  // The ranking is not available right after a start.
  if (total < 2 || standing.highest <= 0) return html``
  const own = bucketOf(score, standing)
  const isBeyond = (distribution.at(-1) ?? 0) > 0
  const shown = isBeyond ? distribution : distribution.slice(0, -1)
  const bars = drawHistogram(shown, {
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
<p class="row between axis soft" aria-hidden="true"><span>0</span><span>${formatFigure(scale)}${isBeyond ? ' and more' : ''}</span></p>
<figcaption class="soft">Highlighted: ${formatPeople(distribution[own] ?? 0)} with a score ${describeEdges(own, standing)}. The dashed line is the median, ${formatFigure(median)}.</figcaption>
</figure>
</section>`
}

function describeEdges(bucket: number, { scale, step }: Standing): string {
  const low = bucket * step
  if (low >= scale) return `above ${formatFigure(scale)}`
  return `from ${formatFigure(low)} to ${formatFigure(low + step)}`
}

/** The score as a sum, for the passport page. The script inserts the lines of the explanation page. */
export function renderExplanation({ id, scores }: Passport, caps: Caps): Html {
  return html`<div id="explanation">
<p>${describeSums(scores, caps)}</p>
<details id="how">
<summary>How every point is calculated</summary>
<p data-lines><a href="/passports/${id}/score">Show the points of every credential</a></p>
</details>
</div>`
}

/** Describes the total as the sum of its parts, unless a record gave another total. */
function describeSums(scores: Scores, caps: Caps): string {
  const [sum, capped] = [sumOf(scores, {}), sumOf(scores, caps)]
  const [parts, total] = [describeParts(scores, {}), formatFigure(scores.total)]
  if (sum === scores.total) return `${parts} = ${total}`
  if (capped === scores.total)
    return `${parts} = ${formatFigure(sum)}, limited to ${total} by the caps of the categories`
  return `${total}, given by the imported record. Its parts are ${parts}.`
}

/** The points of a part, at most the cap of its category. */
const pointsOf = (part: ScorePart, scores: Scores, caps: Caps): number =>
  Math.min(scores[part], caps[CATEGORIES[part]] ?? scores[part])

const sumOf = (scores: Scores, caps: Caps): number =>
  roundScore(SCORE_PARTS.reduce((sum, part) => sum + pointsOf(part, scores, caps), 0))

export const describeParts = (scores: Scores, caps: Caps): string =>
  SCORE_PARTS.map((part) => `${formatFigure(pointsOf(part, scores, caps))} ${CATEGORIES[part]}`).join(' + ')

/** A score change with its causes, or the first score in the chart. */
type Point = { time: number; score: number; change?: number; words: string }

/** The names of credential types, by type. */
type Names = ReadonlyMap<string, string>

const TYPES: readonly EventType[] = ['passport.added', 'score.changed']
const MOST_EVENTS = 60
const MOST_CAUSES = 3
const MAX_NAME_LENGTH = 30
const MOST_ROWS = { rows: MOST_EVENTS + 1, bytes: 15_000 }

/** Renders the latest changes of a score with their causes, as a chart and as a table. Empty if nothing changed. */
export async function renderHistory(
  events: Store['events'],
  { id, scores }: Passport,
  credentials: readonly Credential[],
): Promise<Html> {
  const names = new Map(credentials.map(({ type, name }) => [type, name]))
  const points = toPoints(await events.listLatest(id, TYPES, MOST_EVENTS), names)
  // Removes the changes that were made after the passport was read.
  while (points.length > 0 && points.at(-1)?.score !== scores.total) points.pop()
  if (points.length < 2) return html``
  return html`<section id="history">
<h2>Score history</h2>
<figure>
${drawChart(points)}
<p class="row between axis soft" aria-hidden="true"><span>${renderDay(points[0]?.time ?? 0)}</span><span>today</span></p>
</figure>
<details id="changes" class="divided">
<summary>All changes and their causes</summary>
<table>
<thead><tr><th scope="col">Date</th><th scope="col">Score</th><th scope="col">Change</th><th scope="col">Causes</th></tr></thead>
<tbody>${renderWithin(points.toReversed(), renderPoint, MOST_ROWS).shown}</tbody>
</table>
</details>
</section>`
}

/** Returns the oldest point first. `latest` has the newest event first. Events that change only credentials add no point. */
function toPoints(latest: readonly LogEvent[], names: Names): Point[] {
  const points: Point[] = []
  for (const event of latest.toReversed()) {
    if (event.type === 'passport.added')
      points.push({ time: event.time, score: event.score, words: 'first known score' })
    if (event.type !== 'score.changed') continue
    const [before, score] = event.change.score
    if (points.length === 0) points.push({ time: event.time, score: before, words: 'earlier score' })
    if (before === score) continue
    points.push({
      time: event.time,
      score,
      change: score - before,
      words: describeCauses(causesOf(event.change), names),
    })
  }
  return points
}

const renderPoint = ({ time, score, change, words }: Point) =>
  html`<tr><td>${renderDay(time)}</td><td>${formatFigure(score)}</td><td>${change === undefined ? UNKNOWN : formatChange(change)}</td><td class="wide">${words}</td></tr>
`

function describeCauses(causes: readonly ScoreCause[], names: Names): string {
  const largest = causes.toSorted((one, other) => Math.abs(other.delta) - Math.abs(one.delta))
  const words = largest.slice(0, MOST_CAUSES).map((cause) => describeCause(cause, names))
  const more = largest.length - words.length
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function describeCause({ type, delta, cause }: ScoreCause, names: Names): string {
  if (type === undefined) return `${REST[cause] ?? 'rules'} ${formatChange(delta)}`
  return `${shortWord(names.get(type) ?? type, MAX_NAME_LENGTH)} ${formatChange(delta)} (${CAUSES[cause]})`
}

const CAUSES: Record<Cause, string> = {
  added: 'new',
  gone: 'gone',
  value: 'new data',
  rules: 'new rules',
  time: 'time passed',
  record: 'new record',
  merge: 'merge',
}

/** Names the cause of a change that no credential explains. */
const REST: Partial<Record<Cause, string>> = { record: 'imported record', rules: 'limits of the rules' }

/** Draws steps in an inner SVG, which is stretched, and dots in the outer SVG, where they stay round. */
function drawChart(points: readonly Point[]): Html {
  const [first, last] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0]
  const high = Math.max(...points.map(({ score }) => score), 1)
  const places = points.map((point, at) => ({
    ...point,
    // Leaves space for the line of the last score, which continues to the right edge.
    x: toCoordinate(
      2 + 90 * (last > first ? (point.time - first) / (last - first) : at / (points.length - 1)),
    ),
    y: toCoordinate(100 - (84 * Math.max(point.score, 0)) / high),
  }))
  const path = places.map(({ x, y }, at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('')
  const drawDot = ({ x, y, time, score, words }: (typeof places)[number]) =>
    html`<circle cx="${x}%" cy="${y}%" r="4"><title>${new Date(time).toISOString().slice(0, 10)}: ${formatFigure(score)}. ${words}</title></circle>`
  const { shown } = renderWithin(places.toReversed(), drawDot, MOST_ROWS)
  return html`<svg class="history" aria-hidden="true"><line class="most" x2="100%" y1="16%" y2="16%"/><svg viewBox="0 0 100 100" preserveAspectRatio="none"><path class="area" d="${path}H100V100H2z"/><path class="steps" d="${path}H100"/></svg>${shown}<text class="end" y="16%" dy="-6">${formatFigure(high)}</text><text class="end" y="100%" dy="-6">0</text><text x="100%" y="${places.at(-1)?.y ?? 0}%" dy="-8">${formatFigure(points.at(-1)?.score ?? 0)}</text></svg>`
}
