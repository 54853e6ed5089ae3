import type { Position, SortField } from '../../lists/list-request.ts'
import { type Bits, hasBit } from './bits.ts'
import { isBefore, orderOf, valueReader } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import { groupByPoints } from './points.ts'
import { countWhile, type Posting, slotsOf, toBits } from './posting.ts'

/** By the points for credentials of this folded type, then by score. Passports without such a credential have 0 points. */
export type PointsSort = { pointsFor: string; descending: boolean }
export type FieldSort = { field: SortField; descending: boolean }
export type ListSort = FieldSort | PointsSort

/** `score` is that of the passport, in a list that is sorted by points. */
export type ListPosition = Position & { score?: number }

/** A page begins after a position, or after a number of passports: with `after`, the offset is ignored. */
export type PageRequest = {
  sort: ListSort
  after?: ListPosition | undefined
  offset?: number | undefined
  limit: number
}

export type CutPage = {
  ids: number[]
  /** The value of each passport by which the list is sorted. */
  values: number[]
  /** The position of the last passport; `undefined` on the last page. */
  next: ListPosition | undefined
}

/** Cuts a page out of the matches. */
export function cutPage(index: PassportIndex, matches: Posting, request: PageRequest): CutPage {
  const { sort, limit } = request
  const taken =
    'pointsFor' in sort
      ? takeByPoints(index, matches, sort, request)
      : takeByField(index, matches, sort, request)
  const page = taken.slice(0, limit)
  const last = page.at(-1)
  const ids = page.map(({ slot }) => index.ids[slot] as number)
  return {
    ids,
    values: page.map(({ value }) => value),
    next: last && taken.length > limit ? positionOf(index, sort, last) : undefined,
  }
}

/** A slot of the page, or the one after it, which tells that there is another page. */
type Taken = { slot: number; value: number }

const positionOf = (index: PassportIndex, sort: ListSort, { slot, value }: Taken): ListPosition => ({
  value,
  id: index.ids[slot] as number,
  ...('pointsFor' in sort && { score: index.scores.score[slot] as number }),
})

function takeByField(
  index: PassportIndex,
  matches: Posting,
  sort: FieldSort,
  { after, offset = 0, limit }: PageRequest,
): Taken[] {
  const skipped = after ? 0 : offset
  const values = sort.field === 'passport_id' ? index.ids : index.scores[sort.field]
  const slots = takeSlots(index, matches, directionOf(sort), after, skipped, limit + 1)
  return slots.map((slot) => ({ slot, value: values[slot] as number }))
}

/** An ascending list of scores is the exact reverse of a descending one. The order of ids begins with the lowest. */
type Direction = { field: SortField; isReversed: boolean }

const directionOf = ({ field, descending }: FieldSort): Direction => ({
  field,
  isReversed: (field === 'passport_id') === descending,
})

/** Selecting the first slots of a list takes longer for each wanted slot; walking through an order does not. */
const MOST_SELECTED = 500

/** The first matches after a position. */
function takeSlots(
  index: PassportIndex,
  matches: Posting,
  direction: Direction,
  after: Position | undefined,
  offset: number,
  wanted: number,
): number[] {
  if (wanted <= 0) return []
  if (matches.list && offset + wanted <= MOST_SELECTED)
    return selectFirst(index, slotsOf(matches.list, matches), direction, after, offset + wanted).slice(offset)
  const { slots } = orderOf(index, direction.field)
  const begin = beginOf(index, slots, direction, after)
  const step = direction.isReversed ? -1 : 1
  const bits = toBits(matches, index.count)
  // In a list of all passports there is nothing to skip one by one.
  if (matches.count === slots.length) return walkOrder(slots, bits, begin + step * offset, step, 0, wanted)
  return walkOrder(slots, bits, begin, step, offset, wanted)
}

/** Compares a slot with a position. In the order of ids, only the id counts. */
function createComparison(index: PassportIndex, { field, isReversed }: Direction, after: Position) {
  const readValue = valueReader(index, field)
  const value = field === 'passport_id' ? 0 : after.value
  return (slot: number): boolean =>
    isReversed
      ? isBefore(readValue(slot), index.ids[slot] as number, value, after.id)
      : isBefore(value, after.id, readValue(slot), index.ids[slot] as number)
}

/** The first place after a position. */
function beginOf(
  index: PassportIndex,
  slots: Uint32Array,
  direction: Direction,
  after: Position | undefined,
): number {
  const { isReversed } = direction
  if (!after) return isReversed ? slots.length - 1 : 0
  const isPast = createComparison(index, direction, after)
  // In a reversed list, the slots past the position are the first ones of the order.
  const count = countWhile(slots.length, (at) => isPast(slots[at] as number) === isReversed)
  return isReversed ? count - 1 : count
}

function walkOrder(
  slots: Uint32Array,
  bits: Bits,
  begin: number,
  step: number,
  offset: number,
  wanted: number,
): number[] {
  const taken: number[] = []
  let skipped = 0
  for (let at = begin; at >= 0 && at < slots.length && taken.length < wanted; at += step) {
    const slot = slots[at] as number
    if (slot >>> 5 >= bits.length || hasBit(bits, slot) === 0) continue
    if (skipped === offset) taken.push(slot)
    else skipped++
  }
  return taken
}

/** Keeps the best slots that it has seen, in order. */
function selectFirst(
  index: PassportIndex,
  list: Uint32Array,
  direction: Direction,
  after: Position | undefined,
  wanted: number,
): number[] {
  const { ids } = index
  const readValue = valueReader(index, direction.field)
  const isPast = after && createComparison(index, direction, after)
  const precedes = (one: number, other: number) =>
    isBefore(readValue(one), ids[one] as number, readValue(other), ids[other] as number) !==
    direction.isReversed
  const best: number[] = []
  for (let at = 0; at < list.length; at++) {
    const slot = list[at] as number
    if (best.length === wanted && !precedes(slot, best[wanted - 1] as number)) continue
    if (isPast && !isPast(slot)) continue
    const place = countWhile(best.length, (rank) => precedes(best[rank] as number, slot))
    best.splice(place, 0, slot)
    if (best.length > wanted) best.pop()
  }
  return best
}

/** The list is that of the most points, sorted by score, then that of the next points, and so on. */
function takeByPoints(
  index: PassportIndex,
  matches: Posting,
  { pointsFor, descending }: PointsSort,
  { after, offset = 0, limit }: PageRequest,
): Taken[] {
  const holders = groupByPoints(index, matches, pointsFor)
  if (!descending) holders.reverse()
  const direction = { field: 'score', isReversed: !descending } as const
  const taken: Taken[] = []
  let left = after ? 0 : offset
  for (const { points, posting } of holders) {
    if (after && (descending ? points > after.value : points < after.value)) continue
    const own = after?.value === points ? { value: after.score ?? 0, id: after.id } : undefined
    const wanted = limit + 1 - taken.length
    for (const slot of takeSlots(index, posting, direction, own, left, wanted))
      taken.push({ slot, value: points })
    left = Math.max(0, left - posting.count)
    if (taken.length > limit) break
  }
  return taken
}
