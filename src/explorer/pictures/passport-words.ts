import type { FullPassport } from '../../domain/passport.ts'
import { levelOf } from '../../domain/rule-set.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { createPartStandings } from '../passport/part-standings.ts'
import { describeHighest, describeHighRank } from '../passport/passport-score.ts'

/** Statements of pictures about a score; each may be empty. */
export type PassportWords = { top: string; level: string; rank: string }

export function createPassportWords({ catalog, rules }: Pick<ExplorerOptions, 'catalog' | 'rules'>) {
  const partStandings = createPartStandings(catalog)
  return async ({ scores }: FullPassport): Promise<PassportWords> => {
    const standing = await catalog.standing(scores.total)
    return {
      top: describeHighest(scores, standing, await partStandings.find(scores)),
      level: levelOf(scores.total, await rules())?.level.name ?? '',
      rank: describeHighRank(standing),
    }
  }
}
