import type { Scores } from '../core/passport/passport.ts'
import { type Html, html } from './html.ts'
import { formatFigure, toCoordinate } from './text.ts'

/** The category of credentials that counts toward each part of a score. */
export const CATEGORIES = { activity: 'Activity', identity: 'Identity', skills: 'Skills' } as const

export const SCORE_PARTS = ['activity', 'identity', 'skills'] as const

export type ScorePart = (typeof SCORE_PARTS)[number]

export const partOf = (category: string): ScorePart | undefined =>
  SCORE_PARTS.find((part) => CATEGORIES[part] === category)

/** `other` is the excess if the total in a record is larger than the sum of the three parts. */
export type Segment = { name: ScorePart | 'other'; size: number }

/**
 * A stacked bar of the parts of a score. Its length shows the total. A total above `scale` is shown as a full bar with
 * an arrow. Gaps and textures separate the parts, so that they can be told apart without colour.
 */
export function renderScoreBar(scores: Scores, scale: number): Html {
  const isBeyond = scores.total > scale && scale > 0
  const length = isBeyond ? 100 : (100 * Math.max(0, scores.total)) / Math.max(scale, 1)
  const parts = segmentsOf(scores)
  const words = parts.map(({ name, size }) => `${name} ${formatFigure(size)}`).join(', ') || 'no points'
  const segments = fitSegments(parts, length)
  let [at, drawn, gaps] = [0, '', '']
  for (const [index, { name, size }] of segments.entries()) {
    const end = toCoordinate(at + size)
    if (index > 0) gaps += `<line class="gap" x1="${at}%" x2="${at}%" y2="100%"/>`
    drawn += drawSegment(name, at, end)
    at = end
  }
  // Numbers only: no escaping needed.
  return {
    markup: `<svg class="bar${isBeyond ? ' beyond' : ''}" role="img"><title>${words}</title>${drawn}${gaps}</svg>`,
  }
}

export function segmentsOf(scores: Scores): Segment[] {
  const parts = SCORE_PARTS.map((name) => ({ name, size: Math.max(0, scores[name]) }))
  const sum = parts.reduce((total, { size }) => total + size, 0)
  const other = { name: 'other' as const, size: Math.max(0, scores.total - sum) }
  return [...parts, other].filter(({ size }) => size > 0)
}

/** The smallest width of a part, in percent of the bar: about 3 pixels in a row of the ranking. */
const LEAST = 2

/** Returns sizes in percent, at least `LEAST` each. If the bar is then too long, the largest part is shortened. */
export function fitSegments(segments: readonly Segment[], length: number): Segment[] {
  const sum = segments.reduce((total, { size }) => total + size, 0)
  const fitted = segments.map(({ name, size }) => ({ name, size: Math.max(LEAST, (size / sum) * length) }))
  const excess = fitted.reduce((total, { size }) => total + size, -100)
  const [largest] = fitted.toSorted((one, other) => other.size - one.size)
  if (largest) largest.size -= Math.max(0, excess)
  return fitted
}

function drawSegment(name: Segment['name'], at: number, end: number): string {
  const rectangle = `<rect class="${name}" x="${at}%" width="${toCoordinate(end - at)}%" height="100%"/>`
  if (name === 'activity' || name === 'other') return rectangle
  return `${rectangle}<line class="on-${name}" x1="${at}%" x2="${end}%" y1="50%" y2="50%"/>`
}

const [WIDTH, HEIGHT] = [400, 100]

/** The bars have a minimum height, so that rare values are visible. */
const LEAST_HEIGHT = 3

export function drawHistogram(counts: readonly number[]): Html {
  const width = WIDTH / counts.length
  const scale = HEIGHT / Math.max(...counts, 1)
  const bars = counts.flatMap((count, at) => {
    if (count === 0) return []
    const height = toCoordinate(Math.max(LEAST_HEIGHT, count * scale))
    const [x, y] = [toCoordinate(at * width), toCoordinate(HEIGHT - height)]
    return html`<rect x="${x}" y="${y}" width="${toCoordinate(0.85 * width)}" height="${height}"/>`
  })
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${bars}</svg>`
}
