import { createStandings, type ScoreCounts, type Standing } from '../domain/standing.ts'
import { indexRanks } from './rank-index.ts'

/** Four bytes each where they are small enough. */
export type Ids = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

/** All listed passports at one instant. */
export type Order = {
  /** Highest score first. */
  ids: Ids
  /** Where an id stands in `ids`; made when it is first asked for. */
  rankOf: (id: number) => number | undefined
  standingOf: (score: number) => Standing
}

export function toOrder(ids: Ids, scores: ScoreCounts): Order {
  let rankOf: Order['rankOf'] | undefined
  let standingOf: Order['standingOf'] | undefined
  return {
    ids,
    rankOf(id) {
      rankOf ??= indexRanks(ids)
      return rankOf(id)
    },
    standingOf(score) {
      standingOf ??= createStandings(scores)
      return standingOf(score)
    },
  }
}
