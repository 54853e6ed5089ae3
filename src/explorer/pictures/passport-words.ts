import type { FullPassport } from '../../domain/passport.ts'
import type { Level } from '../../domain/rule-set.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { createPartStandings } from '../passport/part-standings.ts'
import { describeBest, describeRankAboveMedian } from '../passport/passport-score.ts'

/** What pictures say about a score; each may be empty. */
export type PassportWords = { top: string; level: string; rank: string }

/** A weaker standing is no headline. */
const WEAKEST_PERCENT = 33

export function createPassportWords({ catalog, rules }: Pick<ExplorerOptions, 'catalog' | 'rules'>) {
  const partStandings = createPartStandings(catalog)
  return async ({ scores }: FullPassport): Promise<PassportWords> => {
    const standing = await catalog.standing(scores.total)
    const { levels = [] } = await rules()
    const best = describeBest(scores, standing, await partStandings.find(scores))
    const isStrong =
      Number(/^Top (\d+)%/.exec(best)?.[1] ?? (best.startsWith('No. ') ? 1 : 100)) <= WEAKEST_PERCENT
    return {
      top: isStrong ? best : '',
      level: levelOf(levels, scores.total),
      rank: isStrong ? describeRankAboveMedian(standing) : '',
    }
  }
}

/** Empty without levels, or below the first one. */
export const levelOf = (levels: readonly Level[], total: number): string =>
  levels.findLast(({ from }) => total >= from)?.name ?? ''
