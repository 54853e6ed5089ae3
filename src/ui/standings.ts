import type { FullPassport, Scores } from '../core/passport/passport.ts'
import { levelOf } from '../core/passport/rules/rule-set.ts'
import type { Standing } from '../core/reads/standing.ts'
import { CATEGORIES, SCORE_PARTS, type ScorePart } from './charts.ts'
import { ifReady } from './not-ready.ts'
import type { ExplorerOptions } from './page.ts'
import { describeRank, describeTop } from './text.ts'

/** For each part, the number of passports with at least the same score. Parts with a score of 0 are left out. */
export type PartStandings = Partial<Record<ScorePart, number>>

/** Finds the standings in all parts with one evaluation of the facet index. Returns `undefined` while it is unavailable. */
export async function findParts(
  options: Pick<ExplorerOptions, 'catalog' | 'onError'>,
  all: readonly Scores[],
  signal: AbortSignal,
): Promise<PartStandings[] | undefined> {
  if (all.every((scores) => SCORE_PARTS.every((part) => scores[part] <= 0))) return all.map(() => ({}))
  const atLeast = Object.fromEntries(
    SCORE_PARTS.map((part) => [`${part}_score`, all.map((scores) => scores[part])]),
  )
  const sort = { field: 'passport_id', descending: false } as const
  const request = { filter: [], sort, limit: 0, atLeast, signal }
  const found = await ifReady(options, () => options.catalog.list(request, false))
  if (!found) return undefined
  return all.map((scores, at) => {
    const parts = SCORE_PARTS.filter((part) => scores[part] > 0)
    return Object.fromEntries(parts.map((part) => [part, found.atLeast?.[`${part}_score`]?.[at] ?? 0]))
  })
}

/** The worst standing that is shown as a headline is "Top 33%". */
const HIGHEST_PERCENT = 33

/** Describes the best standing, overall or in a part of the score; empty if it is worse than `HIGHEST_PERCENT`. */
export function describeHighest(scores: Scores, { below, total }: Standing, parts: PartStandings): string {
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

/** The units of a picture whose standings need an evaluation of the facet index. */
export const STANDING_UNITS = 3

/** Statements about a score, for pictures. Each may be empty. `share` is the part of a full bar. `isComplete`: the facet index was ready. */
export type PassportWords = { top: string; rank: string; level: string; share: number; isComplete: boolean }

export async function findPassportWords(
  options: Pick<ExplorerOptions, 'catalog' | 'rules' | 'onError'>,
  { scores }: FullPassport,
  signal: AbortSignal,
): Promise<PassportWords> {
  const standing = await options.catalog.standing(scores.total)
  const [parts] = (await findParts(options, [scores], signal)) ?? []
  return {
    isComplete: parts !== undefined,
    top: describeHighest(scores, standing, parts ?? {}),
    rank: describeRank(standing),
    share: Math.min(1, Math.max(0, scores.total) / Math.max(1, standing.scale)),
    level: levelOf(scores.total, await options.rules())?.level.name ?? '',
  }
}
