import { ClientGone } from '../../domain/errors.ts'
import type { Scores } from '../../domain/passport.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { ifReady } from '../ranking/not-ready.ts'
import { SCORE_PARTS, type ScorePart } from '../score-bar.ts'

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
