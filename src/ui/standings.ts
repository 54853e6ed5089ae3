import type { FullPassport, Scores } from '../core/passport/passport.ts'
import { levelOf } from '../core/passport/rules/rule-set.ts'
import { type PassportStanding, readStandings } from '../core/reads/standing.ts'
import { CATEGORIES, SCORE_PARTS } from './charts.ts'
import type { ExplorerOptions } from './page.ts'
import { describeRank, describeTop } from './text.ts'

/** The worst standing that is shown as a headline is "Top 33%". */
const HIGHEST_PERCENT = 33

/** Describes the best standing, overall or in a part of the score; empty if it is worse than `HIGHEST_PERCENT`. */
export function describeHighest(scores: Scores, standing: PassportStanding): string {
  const { below, total, atLeast: parts } = standing
  const overall = { words: 'overall', atLeast: scores.total > 0 ? total - below : total }
  const others = SCORE_PARTS.flatMap((part) => {
    const atLeast = parts[part]
    return atLeast === undefined ? [] : [{ words: `in ${CATEGORIES[part]}`, atLeast }]
  })
  const [best = overall] = [overall, ...others].toSorted((one, other) => one.atLeast - other.atLeast)
  const top =
    total > 0 && 100 * best.atLeast <= HIGHEST_PERCENT * total ? describeTop(best.atLeast, total) : ''
  return top === '' ? '' : `${top} ${best.words}`
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
  return {
    top: describeHighest(scores, standing),
    rank: describeRank(standing),
    share: Math.min(1, Math.max(0, scores.total) / Math.max(1, standing.scale)),
    level: levelOf(scores.total, await options.rules())?.level.name ?? '',
  }
}

/** Pages of one person. */
export async function readStanding(
  options: Pick<ExplorerOptions, 'index'>,
  scores: Scores,
  signal: AbortSignal,
): Promise<PassportStanding> {
  const [standing] = await readStandings(options, [scores], signal)
  return standing as PassportStanding
}
