import { hasBit, subtractBits } from '../basics/bits.ts'
import { countWhile } from '../basics/sorted.ts'
import type { Position, Sort, SortField } from '../lists/list-request.ts'
import { combine } from './matches.ts'
import { createComparison, findSlot, orderOf } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import { copyBits, fromBits, includes, type Posting, slotsOf, toBits, toPosting } from './posting.ts'

/** A page begins after a position, or after a number of passports: with `after`, the offset is ignored. */
export type PageRequest = {
  sort: Sort
  after?: Position | undefined
  offset?: number | undefined
  limit: number
}

/** The matches with the same points. In a list by another field, all of them are one group without points. */
type Group = { points?: number; posting: Posting }

/** A part of a group. An ascending list of scores is the exact reverse of a descending one. */
type Slice = {
  field: SortField
  isReversed: boolean
  after: Position | undefined
  offset: number
  wanted: number
}

/** Cuts a page out of the matches. In a list by points, the groups follow each other, each sorted by score. */
export function cutPage(index: PassportIndex, matches: Posting, request: PageRequest) {
  const { sort, after, offset = 0, limit } = request
  const { field, descending, pointsFor } = sort
  // The order of ids begins with the lowest.
  const isReversed = (field === 'passport_id') === descending
  const groups: Group[] =
    pointsFor === undefined ? [{ posting: matches }] : groupByPoints(index, matches, pointsFor)
  const values = field === 'passport_id' ? index.ids : index.scores[field]
  const taken: { slot: number; value: number }[] = []
  let skipped = after ? 0 : offset
  // One more than the page has tells whether there is another page.
  for (const { points, posting } of isReversed ? groups.reverse() : groups) {
    const begin = after && points !== undefined ? positionIn(points, after, descending) : after
    if (begin === 'past') continue
    const slice = { field, isReversed, after: begin, offset: skipped, wanted: limit + 1 - taken.length }
    for (const slot of takeSlots(index, posting, slice))
      taken.push({ slot, value: points ?? (values[slot] as number) })
    skipped = Math.max(0, skipped - posting.count)
    if (taken.length > limit) break
  }
  const page = taken.slice(0, limit)
  const last = taken.length > limit ? page.at(-1) : undefined
  return {
    ids: page.map(({ slot }) => index.ids[slot] as number),
    /** The values by which the list is sorted. */
    values: page.map(({ value }) => value),
    /** The position of the last passport; `undefined` on the last page. */
    next: last && {
      value: last.value,
      id: index.ids[last.slot] as number,
      ...(pointsFor !== undefined && { score: index.scores.score[last.slot] as number }),
    },
  }
}

/** The position by score in the group with these points. */
function positionIn(points: number, { value, id, score = 0 }: Position, descending: boolean) {
  if (points === value) return { value: score, id }
  return points > value === descending ? 'past' : undefined
}

/** Sorting a few slots takes less time than a walk through the order of all passports. */
const FEW = 1000

function takeSlots(index: PassportIndex, matches: Posting, slice: Slice): number[] {
  const { field, isReversed, after, offset, wanted } = slice
  const { compare, compareWith } = createComparison(index, field)
  const isFew = matches.count <= FEW
  const slots = isFew ? slotsOf(matches).toSorted(compare) : orderOf(index, field).slots
  const bits = isFew ? undefined : toBits(matches, index.count)
  const isBefore = (slot: number, position: Position) => {
    const order = compareWith(slot, position)
    return order < 0 || (order === 0 && !isReversed)
  }
  let place = isReversed ? slots.length : 0
  if (after) place = countWhile(slots.length, (at) => isBefore(slots[at] as number, after))
  const taken: number[] = []
  let skipped = 0
  for (let at = isReversed ? place - 1 : place; at >= 0 && at < slots.length; at += isReversed ? -1 : 1) {
    const slot = slots[at] as number
    if (bits && hasBit(bits, slot) === 0) continue
    if (skipped++ >= offset) taken.push(slot)
    if (taken.length === wanted) break
  }
  return taken
}

/**
 * Divides the matches by the points of their best credential of a type, the most points first. Those without one have 0
 * points.
 */
export function groupByPoints({ count, points }: PassportIndex, matches: Posting, type: string) {
  const left = copyBits(matches, count)
  const groups: { points: number; posting: Posting }[] = []
  for (const [number, holders] of sortByPoints(points.get(type))) {
    const posting = combine(count, [holders, fromBits(left, 0)])
    subtractBits(left, toBits(posting, count))
    groups.push({ points: number, posting })
  }
  groups.push({ points: 0, posting: toPosting(left, count) })
  return groups.filter(({ posting }) => posting.count > 0)
}

const sortByPoints = (points: ReadonlyMap<number, Posting> = new Map()) =>
  [...points].sort(([one], [other]) => other - one)

/** The points of a passport for its best credential of a type; 0 if it has none, or if there is no such passport. */
export function pointsOf(index: PassportIndex, id: number, type: string): number {
  const slot = findSlot(index, id)
  const holders = slot === undefined ? [] : sortByPoints(index.points.get(type))
  return holders.find(([, posting]) => includes(posting, slot as number))?.[0] ?? 0
}
