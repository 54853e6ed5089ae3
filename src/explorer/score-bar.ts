import type { Scores } from '../domain/passport.ts'
import { formatFigure, toCoordinate } from './format.ts'
import type { Html } from './html.ts'

/** The category of credentials that counts toward each part of a score. */
export const CATEGORIES = { activity: 'Activity', identity: 'Identity', skills: 'Skills' } as const

export const SCORE_PARTS = ['activity', 'identity', 'skills'] as const

const WIDTH = 100

type Sizes = [activity: number, identity: number, skills: number]

/** A stacked bar of the parts of a score, scaled to `highest`. */
export function renderScoreBar(scores: Scores, highest: number): Html {
  const [activity, identity, skills] = SCORE_PARTS.map((part) => Math.max(0, scores[part])) as Sizes
  const scale = WIDTH / Math.max(highest, activity + identity + skills, 1)
  const at = (size: number) => toCoordinate(size * scale)
  const words = SCORE_PARTS.map((part) => `${part} ${formatFigure(scores[part])}`).join(', ')
  // Numbers only: no escaping needed.
  return {
    markup: `<svg class="bar" viewBox="0 0 ${WIDTH} 1" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="activity" width="${at(activity)}" height="1"/><rect class="identity" x="${at(activity)}" width="${at(identity)}" height="1"/><rect class="skills" x="${at(activity + identity)}" width="${at(skills)}" height="1"/></svg>`,
  }
}
