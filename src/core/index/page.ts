import type { Position, Sort, SortField } from '../lists/list-request.ts'
import { hasBit } from './bits.ts'
import { isBefore, orderOf, valueReader } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import { groupByPoints } from './points.ts'
import { countWhile, type Posting, slotsOf, toBits } from './posting.ts'

/** A page begins after a position, or after a number of passports: with `after`, the offset is ignored. */
export type PageRequest = {
  sort: Sort
  after?: Position | undefined
  offset?: number | undefined
  limit: number
}

export type CutPage = {
  ids: number[]
  /** The value of each passport by which the list is sorted. */
  values: number[]
  /** The position of the last passport; `undefined` on the last page. */
  next: Position | undefined
}

/** Cuts a page out of the matches. */
export function cutPage(index: PassportIndex, matches: Posting, request: PageRequest): CutPage {
  const { sort, limit } = request
  const taken =
    sort.pointsFor === undefined
      ? takeByField(index, matches, request)
      : takeByPoints(index, matches, sort.pointsFor, request)
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

const positionOf = (index: PassportIndex, sort: Sort, { slot, value }: Taken): Position => ({
  value,
  id: index.ids[slot] as number,
  ...(sort.pointsFor !== undefined && { score: index.scores.score[slot] as number }),
})

/** An ascending list of scores is the exact reverse of a descending one. The order of ids begins with the lowest. */
type Slice = {
  field: SortField
  isReversed: boolean
  after: Position | undefined
  offset: number
  wanted: number
}

function takeByField(
  index: PassportIndex,
  matches: Posting,
  { sort, after, offset = 0, limit }: PageRequest,
): Taken[] {
  const { field, descending } = sort
  const isReversed = (field === 'passport_id') === descending
  const slice = { field, isReversed, after, offset: after ? 0 : offset, wanted: limit + 1 }
  const values = field === 'passport_id' ? index.ids : index.scores[field]
  return takeSlots(index, matches, slice).map((slot) => ({ slot, value: values[slot] as number }))
}

/** Selecting the first slots of a list takes longer for each wanted slot; walking through an order does not. */
const MOST_SELECTED = 500

function takeSlots(index: PassportIndex, matches: Posting, slice: Slice): number[] {
  const isPast = slice.after && createComparison(index, slice, slice.after)
  if (matches.list && slice.offset + slice.wanted <= MOST_SELECTED)
    return selectFirst(index, slotsOf(matches.list, matches), slice, isPast).slice(slice.offset)
  return walkOrder(index, matches, slice, isPast)
}

/** Whether a slot is past the position. In the order of ids, only the id counts. */
type IsPast = (slot: number) => boolean

function createComparison(index: PassportIndex, { field, isReversed }: Slice, after: Position): IsPast {
  const readValue = valueReader(index, field)
  const value = field === 'passport_id' ? 0 : after.value
  return (slot) =>
    isReversed
      ? isBefore(readValue(slot), index.ids[slot] as number, value, after.id)
      : isBefore(value, after.id, readValue(slot), index.ids[slot] as number)
}

/** Takes matches in the order of all passports. */
function walkOrder(index: PassportIndex, matches: Posting, slice: Slice, isPast?: IsPast): number[] {
  const { field, isReversed, wanted } = slice
  const { slots } = orderOf(index, field)
  const bits = toBits(matches, index.count)
  const isAll = matches.count === slots.length
  // In a list of all passports, those before the page need not be counted.
  let skipped = isAll ? slice.offset : 0
  const step = isReversed ? -1 : 1
  const taken: number[] = []
  const begin = beginOf(slots, isReversed, isPast) + step * skipped
  for (let at = begin; at >= 0 && at < slots.length && taken.length < wanted; at += step) {
    const slot = slots[at] as number
    if (slot >>> 5 >= bits.length || hasBit(bits, slot) === 0) continue
    if (skipped === slice.offset) taken.push(slot)
    else skipped++
  }
  return taken
}

/** The first place past the position. In a reversed list, the places past it are the first ones of the order. */
function beginOf(slots: Uint32Array, isReversed: boolean, isPast: IsPast | undefined): number {
  if (!isPast) return isReversed ? slots.length - 1 : 0
  const count = countWhile(slots.length, (at) => isPast(slots[at] as number) === isReversed)
  return isReversed ? count - 1 : count
}

/** Keeps the best slots that it has seen, in order. */
function selectFirst(index: PassportIndex, list: Uint32Array, slice: Slice, isPast?: IsPast): number[] {
  const { ids } = index
  const readValue = valueReader(index, slice.field)
  const most = slice.offset + slice.wanted
  const precedes = (one: number, other: number) =>
    isBefore(readValue(one), ids[one] as number, readValue(other), ids[other] as number) !== slice.isReversed
  const best: number[] = []
  for (let at = 0; at < list.length; at++) {
    const slot = list[at] as number
    if (best.length === most && !precedes(slot, best[most - 1] as number)) continue
    if (isPast && !isPast(slot)) continue
    const place = countWhile(best.length, (rank) => precedes(best[rank] as number, slot))
    best.splice(place, 0, slot)
    if (best.length > most) best.pop()
  }
  return best
}

/** The list is that of the most points, sorted by score, then that of the next points, and so on. */
function takeByPoints(
  index: PassportIndex,
  matches: Posting,
  type: string,
  { sort: { descending }, after, offset = 0, limit }: PageRequest,
): Taken[] {
  const holders = groupByPoints(index, matches, type)
  if (!descending) holders.reverse()
  const taken: Taken[] = []
  let left = after ? 0 : offset
  for (const { points, posting } of holders) {
    if (after && (descending ? points > after.value : points < after.value)) continue
    const own = after?.value === points ? { value: after.score ?? 0, id: after.id } : undefined
    const wanted = limit + 1 - taken.length
    const slice = { field: 'score', isReversed: !descending, after: own, offset: left, wanted } as const
    for (const slot of takeSlots(index, posting, slice)) taken.push({ slot, value: points })
    left = Math.max(0, left - posting.count)
    if (taken.length > limit) break
  }
  return taken
}
