import type { Catalog } from '../../catalog/catalog.ts'
import type { Scores } from '../../domain/passport.ts'
import { SCORE_PARTS, type ScorePart } from '../score-bar.ts'

/** How many passports have at least the same score in a part. Parts with a score of 0 are left out. */
export type PartStandings = Partial<Record<ScorePart, number>>

/** The index of a large database takes longer after the start. Until it is ready, pages have no standings of parts. */
const LONGEST_WAIT_MILLISECONDS = 1000

/** The standing of each part of a score, from the facet index. */
export function createPartStandings(catalog: Catalog) {
  let isReady = false
  let first: Promise<unknown> | undefined

  async function count(part: ScorePart, score: number): Promise<number> {
    const condition = { not: false, operator: '>=' as const, value: score }
    const filter = [{ field: `${part}_score` as const, conditions: [condition] }]
    const sort = { field: 'score' as const, descending: true }
    return (await catalog.list({ filter, sort, limit: 1 }, false)).total
  }

  async function findAll(scores: Scores): Promise<PartStandings> {
    const parts = SCORE_PARTS.filter((part) => scores[part] > 0)
    const counts = await Promise.all(
      parts.map(async (part) => [part, await count(part, scores[part])] as const),
    )
    if (parts.length > 0) isReady = true
    return Object.fromEntries(counts)
  }

  return {
    /** Part of the version of a page: pages without standings are rendered again when the index is ready. */
    isReady: () => isReady,
    /** Empty while the index is not ready. */
    async find(scores: Scores): Promise<PartStandings> {
      if (!isReady && first) return {}
      const found = findAll(scores).catch((): PartStandings => ({}))
      if (isReady) return found
      first = found.finally(() => {
        first = undefined
      })
      return waitShortly(found)
    },
  }
}

async function waitShortly(found: Promise<PartStandings>): Promise<PartStandings> {
  const late = Promise.withResolvers<PartStandings>()
  const timer = setTimeout(() => late.resolve({}), LONGEST_WAIT_MILLISECONDS)
  const standings = await Promise.race([found, late.promise])
  clearTimeout(timer)
  return standings
}
