import type { Standing } from '../../catalog/score-distribution.ts'
import { ClientGone } from '../../domain/errors.ts'
import type { FullPassport, Scores } from '../../domain/passport.ts'
import { levelOf } from '../../domain/rule-set.ts'
import { CATEGORIES, SCORE_PARTS, type ScorePart } from '../design/charts.ts'
import { describeTop, formatOrdinal, formatPeople } from '../design/format.ts'
import type { ExplorerOptions } from './explorer-page.ts'
import { ifReady } from './not-ready.ts'

/** How many passports have at least the same score in a part. Parts with a score of 0 are left out. */
export type PartStandings = Partial<Record<ScorePart, number>>

/** The index of a large database takes longer after the start. Until it is ready, pages have no standings of parts. */
const LONGEST_WAIT_MILLISECONDS = 1000

/** The standings of the parts of scores, from one evaluation of the facet index. */
export function createPartStandings({ catalog, onError }: Pick<ExplorerOptions, 'catalog' | 'onError'>) {
  let isReady = false
  let first: Promise<PartStandings[] | undefined> | undefined

  async function count(all: readonly Scores[], signal: AbortSignal): Promise<PartStandings[]> {
    const of = (part: ScorePart) => all.map((scores) => scores[part])
    const atLeast = {
      activity_score: of('activity'),
      identity_score: of('identity'),
      skills_score: of('skills'),
    }
    const sort = { field: 'passport_id', descending: false } as const
    const found = await catalog.list({ filter: [], sort, limit: 0, atLeast, signal }, false)
    isReady = true
    return all.map((scores, at) => {
      const parts = SCORE_PARTS.filter((part) => scores[part] > 0)
      return Object.fromEntries(parts.map((part) => [part, found.atLeast?.[`${part}_score`]?.[at] ?? 0]))
    })
  }

  /** A page can do without standings: an unexpected error is logged, and the page is shown. */
  async function tryCount(all: readonly Scores[], signal: AbortSignal): Promise<PartStandings[] | undefined> {
    try {
      return await ifReady(() => count(all, signal))
    } catch (error) {
      if (error instanceof ClientGone) throw error
      onError(error)
      return undefined
    }
  }

  /** `undefined` while the index cannot respond. */
  return async (all: readonly Scores[], signal: AbortSignal): Promise<PartStandings[] | undefined> => {
    if (all.every((scores) => SCORE_PARTS.every((part) => scores[part] <= 0))) return all.map(() => ({}))
    // The client of the first page may have left.
    if (first) await waitShortly(first.catch(() => undefined))
    if (isReady) return tryCount(all, signal)
    if (first) return undefined
    first = tryCount(all, signal).finally(() => {
      first = undefined
    })
    return waitShortly(first)
  }
}

async function waitShortly<T>(found: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), LONGEST_WAIT_MILLISECONDS)
  try {
    return await Promise.race([found, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Weaker standings are no headline. */
const HIGHEST_PERCENT = 33

/** The smallest share of people with such a score, overall or in a part; empty if it is large. */
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

/** Without a high standing, the strongest part. */
export function describeBest(scores: Scores, standing: Standing, parts: PartStandings): string {
  const highest = describeHighest(scores, standing, parts)
  if (highest !== '') return highest
  const [strongest] = SCORE_PARTS.toSorted((one, other) => scores[other] - scores[one])
  return strongest && scores[strongest] > 0 ? `Strongest in ${CATEGORIES[strongest]}` : ''
}

export function describeHighRank({ rank, total }: Standing): string {
  return total > 1 && 100 * rank <= HIGHEST_PERCENT * total
    ? `${formatOrdinal(rank)} of ${formatPeople(total)}`
    : ''
}

/** Statements of pictures about a score; each may be empty. `isComplete`: the facet index was ready. */
export type PassportWords = { top: string; level: string; rank: string; isComplete: boolean }

export function createPassportWords(options: Pick<ExplorerOptions, 'catalog' | 'rules' | 'onError'>) {
  const { catalog, rules } = options
  const findParts = createPartStandings(options)
  return async ({ scores }: FullPassport, signal: AbortSignal): Promise<PassportWords> => {
    const standing = await catalog.standing(scores.total)
    const [parts] = (await findParts([scores], signal)) ?? []
    return {
      isComplete: parts !== undefined,
      top: describeHighest(scores, standing, parts ?? {}),
      level: levelOf(scores.total, await rules())?.level.name ?? '',
      rank: describeHighRank(standing),
    }
  }
}
