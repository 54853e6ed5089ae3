import { createBits, intersectBits } from './bits.ts'
import { findSlot } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import {
  filterList,
  fromBits,
  fromList,
  includes,
  type Posting,
  slotsOf,
  subtractFrom,
  toBits,
  toPosting,
} from './posting.ts'

/** The passports whose best credential of a type has these points. */
export type Holders = { points: number; posting: Posting }

/** Divides the matches by their points for a type, the most points first. Those without such a credential have 0 points. */
export function groupByPoints(index: PassportIndex, matches: Posting, type: string): Holders[] {
  const left = createBits(index.count)
  left.set(toBits(matches, index.count).subarray(0, left.length))
  const groups: Holders[] = []
  for (const [points, all] of listByPoints(index, type)) {
    const posting = keepIn(all, left, index.count)
    subtractFrom(left, posting)
    groups.push({ points, posting })
  }
  groups.push({ points: 0, posting: toPosting(left, index.count) })
  return groups.filter(({ posting }) => posting.count > 0)
}

/** The postings of a type, the most points first. */
const listByPoints = ({ points }: PassportIndex, type: string): [number, Posting][] =>
  [...(points.get(type) ?? [])].sort(([one], [other]) => other - one)

function keepIn(posting: Posting, bits: Int32Array, slots: number): Posting {
  if (posting.list) {
    const list = slotsOf(posting.list, posting)
    return fromList(filterList(list, fromBits(bits, 0), 1, new Uint32Array(list.length)))
  }
  const kept = bits.slice()
  intersectBits(kept, toBits(posting, slots))
  return toPosting(kept, slots)
}

/** The points of a passport for its best credential of a type; 0 if it has none, or if there is no such passport. */
export function pointsOf(index: PassportIndex, id: number, type: string): number {
  const slot = findSlot(index, id)
  if (slot === undefined) return 0
  return listByPoints(index, type).find(([, posting]) => includes(posting, slot))?.[0] ?? 0
}
