import type { Ids } from './order.ts'

/** The rank of each id, where `order` lists all ids by rank. An id that is not listed has none. */
export function indexRanks(order: Ids): (id: number) => number | undefined {
  let largest = 0
  for (const id of order) largest = Math.max(largest, id)
  return largest < order.length * 8 + 1024 ? direct(order, largest) : hashed(order)
}

/** Ids lie close together: a place for each. Rank 0 is kept as 1, so that 0 is none. */
function direct(order: Ids, largest: number) {
  const ranks = new Uint32Array(largest + 1)
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank] as number] = rank + 1
  return (id: number) => {
    const rank = ranks[id]
    return rank ? rank - 1 : undefined
  }
}

/** Ids lie far apart: a table of twice their number, where the next free place is taken. */
function hashed(order: Ids) {
  const mask = 2 ** Math.ceil(Math.log2(order.length * 2 + 2)) - 1
  const ranks = new Uint32Array(mask + 1)
  const place = (id: number) => Math.imul(id ^ Math.floor(id / 2 ** 32), 0x9e3779b1) & mask
  for (let rank = 0; rank < order.length; rank++) {
    let at = place(order[rank] as number)
    while (ranks[at] !== 0) at = (at + 1) & mask
    ranks[at] = rank + 1
  }
  return (id: number) => {
    for (let at = place(id); ; at = (at + 1) & mask) {
      const rank = ranks[at] as number
      if (rank === 0) return undefined
      if (order[rank - 1] === id) return rank - 1
    }
  }
}
