import type { Scores } from '../domain/passport.ts'
import { formatFigure, toCoordinate } from './format.ts'
import type { Html } from './html.ts'

/** The category of credentials that counts toward each part of a score. */
export const CATEGORIES = { activity: 'Activity', identity: 'Identity', skills: 'Skills' } as const

export const SCORE_PARTS = ['activity', 'identity', 'skills'] as const

export type ScorePart = (typeof SCORE_PARTS)[number]

export const partOf = (category: string): ScorePart | undefined =>
  SCORE_PARTS.find((part) => CATEGORIES[part] === category)

/** A total given by a record may be above the sum of its parts. */
type Segment = { name: ScorePart | 'other'; size: number }

/**
 * A stacked bar of the parts of a score: full at `scale`. Its length is the total. A higher score is shown as a full bar with
 * an arrow. Gaps and textures separate the parts, so that they differ without colour.
 */
export function renderScoreBar(scores: Scores, scale: number): Html {
  const segments = segmentsOf(scores)
  const sum = segments.reduce((total, { size }) => total + size, 0)
  const isBeyond = scores.total > scale && scale > 0
  const length = isBeyond ? 100 : (100 * Math.max(0, scores.total)) / Math.max(scale, 1)
  const words = SCORE_PARTS.map((part) => `${part} ${formatFigure(scores[part])}`).join(', ')
  let [at, drawn] = [0, '']
  for (const { name, size } of segments) {
    const end = toCoordinate(at + (size / sum) * length)
    drawn += `${drawSegment(name, at, end)}${at === 0 ? '' : `<line class="gap" x1="${at}%" x2="${at}%" y2="100%"/>`}`
    at = end
  }
  // Numbers only: no escaping needed.
  return {
    markup: `<svg class="bar${isBeyond ? ' beyond' : ''}" role="img"><title>${words}</title>${drawn}</svg>`,
  }
}

function segmentsOf(scores: Scores): Segment[] {
  const parts = SCORE_PARTS.map((name) => ({ name, size: Math.max(0, scores[name]) }))
  const sum = parts.reduce((total, { size }) => total + size, 0)
  return [...parts, { name: 'other' as const, size: Math.max(0, scores.total - sum) }].filter(
    ({ size }) => size > 0,
  )
}

/** The line carries the texture: its dashes are stripes or dots. */
function drawSegment(name: Segment['name'], at: number, end: number): string {
  const rectangle = `<rect class="${name}" x="${at}%" width="${toCoordinate(end - at)}%" height="100%"/>`
  if (name === 'activity' || name === 'other') return rectangle
  return `${rectangle}<line class="on-${name}" x1="${at}%" x2="${end}%" y1="50%" y2="50%"/>`
}
