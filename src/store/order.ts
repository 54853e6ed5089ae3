import { indexRanks } from './rank-index.ts'

/** All listed passports at one instant. */
export type Order = {
  /** Highest score first. */
  ids: Float64Array
  /** Where an id stands in `ids`; made when it is first asked for. */
  rankOf: (id: number) => number | undefined
}

export function toOrder(ids: Float64Array): Order {
  let rankOf: Order['rankOf'] | undefined
  return {
    ids,
    rankOf(id) {
      rankOf ??= indexRanks(ids)
      return rankOf(id)
    },
  }
}
