import type { Scores } from '../domain/passport.ts'
import { type Html, html } from './html.ts'
import { formatFigure } from './wording.ts'

export const SCORE_PARTS = ['activity', 'identity', 'skills'] as const

const WIDTH = 100

/** The parts of a score end to end, on a line as long as `highest`. */
export function renderScoreBar(scores: Scores, highest: number): Html {
  const sizes = SCORE_PARTS.map((part) => Math.max(0, scores[part]))
  const scale = WIDTH / Math.max(highest, sum(sizes), 1)
  const pieces = SCORE_PARTS.map((part, at) => {
    const x = sum(sizes.slice(0, at)) * scale
    return html`<rect class="${part}" x="${round(x)}" width="${round((sizes[at] ?? 0) * scale)}" height="1"/>`
  })
  const words = SCORE_PARTS.map((part) => `${part} ${formatFigure(scores[part])}`).join(', ')
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} 1" preserveAspectRatio="none" role="img" aria-label="${words}">${pieces}</svg>`
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const round = (number: number) => Math.round(number * 100) / 100
