import type { FullPassport } from '../../domain/passport.ts'
import { levelOf } from '../../domain/rule-set.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { createPartStandings } from '../passport/part-standings.ts'
import { describeHighest, describeHighRank } from '../passport/passport-score.ts'

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
