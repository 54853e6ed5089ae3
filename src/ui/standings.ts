import type { FullPassport, Scores, Standing } from '../core/passport/passport.ts'
import { levelOf } from '../core/passport/rules/rule-set.ts'
import { CATEGORIES, SCORE_PARTS } from './charts.ts'
import type { ExplorerOptions } from './page.ts'
import { describeRank, describeTop } from './text.ts'

/** The worst standing that is shown as a headline is "Top 33%". */
const HIGHEST_PERCENT = 33

/** Describes the best standing, overall or in a part of the score; empty if it is worse than `HIGHEST_PERCENT`. */
export function describeHighest(standing: Standing): string {
  const { total, below } = standing.total
  const best = SCORE_PARTS.reduce(
    (best, part) =>
      standing[part].below > best.below ? { words: `in ${CATEGORIES[part]}`, ...standing[part] } : best,
    { words: 'overall', below },
  )
  const atLeast = total - best.below
  return total > 0 && 100 * atLeast <= HIGHEST_PERCENT * total
    ? `${describeTop(atLeast, total)} ${best.words}`
    : ''
}

export const STANDING_UNITS = 3

/** Statements about a score, for pictures. `top` and `level` may be empty. `share` is the part of a full bar. */
export type PassportWords = { top: string; rank: string; level: string; share: number }

export async function findPassportWords(
  options: Pick<ExplorerOptions, 'index' | 'rules'>,
  { scores }: FullPassport,
  signal: AbortSignal,
): Promise<PassportWords> {
  const standing = await readStanding(options, scores, signal)
  const { scale } = await options.index.call('distribution', undefined, signal)
  return {
    top: describeHighest(standing),
    rank: describeRank(standing.total),
    share: Math.min(1, scores.total / Math.max(1, scale)),
    level: levelOf(scores.total, await options.rules())?.level.name ?? '',
  }
}

/** Pages of one person. */
export async function readStanding(
  options: Pick<ExplorerOptions, 'index'>,
  scores: Scores,
  signal: AbortSignal,
): Promise<Standing> {
  const [standing] = await options.index.call('standings', [scores], signal)
  return standing as Standing
}
