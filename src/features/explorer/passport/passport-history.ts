import { roundUp } from '../../../core/basics/round-up.ts'
import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { causesOf, type LogEvent, type ScoreChange } from '../../../core/history/event.ts'
import { type Credential, roundScore } from '../../../core/passport/credential.ts'
import type { Passport } from '../../../core/passport/passport.ts'
import { listLatestEvents } from '../../../core/reads/passports.ts'
import * as credentialRows from '../../../ui/credential-rows.ts'
import { type Html, html, renderWithin } from '../../../ui/html.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import { formatDay, formatFigure, renderDay, toCoordinate } from '../../../ui/text.ts'

/** `words` is such as "GitHub −8, 21 to 13". */
type DescribedCause = { delta: number; words: string; reason?: string }

/** A score, and the change that led to it. `id` is the number of the event. The oldest score has no change. */
type Point = { id: number; time: number; score: number; delta?: number; causes: readonly DescribedCause[] }

const TYPES = ['passport.added', 'score.changed'] as const
const [MOST_EVENTS, MOST_CAUSES, MOST_CAUSES_IN_HEADER, FIRST_ROWS] = [60, 5, 3, 5]
const MOST_ROWS = { rows: MOST_EVENTS + 1, bytes: 15_000 }

export async function findHistory(
  options: ExplorerOptions,
  { id, scores }: Passport,
  credentials: readonly Credential[],
): Promise<Point[]> {
  const points = toPoints(await listLatestEvents(options, id, TYPES, MOST_EVENTS), credentials)
  // Removes the changes that were made after the passport was read.
  while (points.length > 0 && points.at(-1)?.score !== scores.total) points.pop()
  return points
}

/**
 * Renders the last change and its main causes: "−16 on 3 November 2026", "GitHub −8, 21 to 13". Empty without a change.
 */
export function renderLastChange(points: readonly Point[]): Html {
  const { id = 0, time = 0, delta, causes = [] } = points.at(-1) ?? {}
  if (delta === undefined) return html``
  const more = causes.length - MOST_CAUSES_IN_HEADER
  const words = causes.slice(0, MOST_CAUSES_IN_HEADER).map(describeCause).join(' · ')
  const link = html`<a href="#change-${id}">${credentialRows.renderChange(delta)} on ${formatDay(time)}</a>`
  return html`<p class="row change">${link} <span>${words}${more > 0 && ` and ${more} more`}</span></p>`
}

const describeCause = ({ words, reason = '' }: DescribedCause) => `${words}${reason}`

/**
 * Renders the latest changes of a score with their causes, as a chart and as a table. A new passport has a sentence.
 */
export function renderHistory(points: readonly Point[]): Html {
  const [first, second] = points
  if (first === undefined) return html``
  if (second === undefined) return renderFirstScore(first)
  const { shown } = renderWithin(points.toReversed(), renderPoint, MOST_ROWS)
  return html`<section id="history">
<h2>Score history</h2>
<figure>
${drawChart(points)}
<p class="row between axis soft" aria-hidden="true">
<span>${renderDay(first.time)}</span><span>${renderDay(points.at(-1)?.time ?? 0)}</span>
</p>
</figure>
<table>
<thead><tr>
<th scope="col">Date</th><th scope="col">Change</th><th scope="col">Score</th><th scope="col">Causes</th>
</tr></thead>
<tbody>${shown.slice(0, FIRST_ROWS)}</tbody>
</table>
${renderOlder(shown.slice(FIRST_ROWS))}
</section>`
}

const renderFirstScore = ({ time, score }: Point) => html`<section id="history">
<h2>Score history</h2>
<p>First recorded on ${formatDay(time)} with a score of ${formatFigure(score)}.</p>
</section>`

function renderOlder(rows: readonly Html[]): Html {
  if (rows.length === 0) return html``
  return html`<details id="changes">
<summary>${count(rows.length, 'earlier change')}</summary>
<table><tbody>${rows}</tbody></table>
</details>`
}

/** Events that change only credentials add no point. `latest` has the newest event first. */
function toPoints(latest: readonly LogEvent[], credentials: readonly Credential[]): Point[] {
  const known: Known = new Map()
  for (const { id, type, name, value } of credentials) {
    const own = { name, value }
    known.set(type, own).set(`${type}\n${id}`, own)
  }
  const points: Point[] = []
  for (const event of latest) {
    const { sequence: id, time } = event
    if (event.type === 'passport.added')
      points.push({ id, time, score: event.score, causes: [{ delta: 0, words: 'first known score' }] })
    if (event.type !== 'score.changed') continue
    const [before, score] = event.change.score
    const causes = describeCauses(event.change, known)
    if (before !== score) points.push({ id, time, score, delta: roundScore(score - before), causes })
  }
  const oldest = points.at(-1)
  if (oldest?.delta !== undefined) {
    const score = roundScore(oldest.score - oldest.delta)
    points.push({ id: 0, time: oldest.time, score, causes: [{ delta: 0, words: 'earlier score' }] })
  }
  return points.reverse()
}

type Known = Map<string, Pick<Credential, 'name' | 'value'>>

/**
 * Describes the causes of a change, the largest first. Clears the values in `known` that an earlier change did not
 * have.
 */
function describeCauses(change: ScoreChange, known: Known): DescribedCause[] {
  const { delta = 0, cause } = causesOf(change).find(({ type }) => type === undefined) ?? {}
  const words = credentialRows.describeChange(credentialRows.wordsOf(cause, change.rules[0]), 0, delta)
  const described = change.credentials.map(({ type, id, cause, before, score: [old, now] }) => {
    const own = known.get(id === undefined ? type : `${type}\n${id}`)
    const reason = credentialRows.describeCause(cause, own?.value)
    if (own && before.value !== undefined) own.value = ''
    const words = credentialRows.describeChange(own?.name ?? before.name ?? type, old ?? 0, now ?? 0)
    return { delta: roundScore((now ?? 0) - (old ?? 0)), words, reason }
  })
  return [...described, { delta, words }]
    .filter(({ delta }) => delta !== 0)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
}

function renderPoint({ id, time, score, delta, causes }: Point): Html {
  const before = delta === undefined ? '' : `${formatFigure(score - delta)} to `
  const words = credentialRows.joinFirst(causes, MOST_CAUSES, describeCause)
  const change = delta === undefined ? credentialRows.UNKNOWN : credentialRows.renderChange(delta)
  const cells = [renderDay(time), change, html`${before}${formatFigure(score)}`].map(
    (cell) => html`<td>${cell}</td>`,
  )
  const causesCell = html`<td class="wide"><span class="soft detail">${words}</span></td>`
  return html`<tr id="change-${id}">${cells}${causesCell}</tr>
`
}

/** Returns a round number a little below the lowest score. */
function startOfAxis(low: number, high: number): number {
  const step = roundUp(Math.max(high - low, 1) / 10)
  return Math.max(Math.min(0, low), step * Math.floor(low / step - 1))
}

/**
 * Draws steps in an inner SVG, which is stretched, and marks in the outer SVG, where they keep their shape. A mark
 * links to the row of its change. The table has the same content for keyboards and screen readers.
 */
function drawChart(points: readonly Point[]): Html {
  const [first, last] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0]
  const scores = points.map(({ score }) => score)
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  const start = startOfAxis(low, high)
  const places = points.map((point) => ({
    ...point,
    // Leaves space for the labels of the axis, and for the line of the last score, which continues to the right edge.
    x: toCoordinate(12 + (72 * (point.time - first)) / (last - first || 1)),
    y: toCoordinate(100 - (84 * (point.score - start)) / (high - start || 1)),
  }))
  const path = places.map(({ x, y }, at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('')
  const falls = places.flatMap(({ x, y, delta = 0 }, at) =>
    delta < 0 ? `M${x} ${places[at - 1]?.y}V${y}` : [],
  )
  const end = places.at(-1)
  // The label of a fall is below its line, where there is space for it.
  const isLow = (end?.delta ?? 0) < 0 && (end?.y ?? 0) < 75
  const { shown } = renderWithin(places.toReversed(), drawMark, MOST_ROWS)
  const highest = [scores[0], end?.score].includes(high) ? '' : formatFigure(high)
  return html`<svg class="history" aria-hidden="true">
<line class="most" x1="12%" x2="100%" y1="16%" y2="16%"/>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" fill="none" stroke="currentcolor" stroke-width="2">
<path vector-effect="non-scaling-stroke" d="${path}H100"/>
<path class="fall" vector-effect="non-scaling-stroke" d="${falls.join('')}"/>
</svg>
${shown}
<text y="16%" dy="4">${highest}</text>
<text y="${places[0]?.y ?? 0}%" dy="4">${formatFigure(scores[0] ?? 0)}</text>
<text class="now" x="100%" y="${end?.y ?? 0}%" dy="${isLow ? 22 : -10}">${formatFigure(end?.score ?? 0)}</text>
</svg>`
}

function drawMark({ id, x, y, time, score, delta }: Point & { x: number; y: number }): Html {
  const title = html`<title>${formatDay(time)}: ${formatFigure(score)}</title>`
  const area = html`<circle cx="${x}%" cy="${y}%" r="12" fill="none" pointer-events="all"/>`
  const mark = delta === undefined ? drawFirst(x, y) : drawArrow(x, y, delta)
  const turn = (delta ?? 0) < 0 ? 'fall' : 'rise'
  return html`<a class="${turn}" href="#change-${id}" tabindex="-1">${title}${area}${mark}</a>`
}

const drawFirst = (x: number, y: number) => html`<circle cx="${x}%" cy="${y}%" r="4" fill="currentcolor"/>`

const drawArrow = (x: number, y: number, delta: number) =>
  html`<text x="${x}%" y="${y}%" dy="5" ${ARROW_STYLE}>${credentialRows.arrowOf(delta)}</text>`

const ARROW_STYLE = html`text-anchor="middle" fill="currentcolor"`
