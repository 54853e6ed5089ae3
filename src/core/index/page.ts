import { hasBit } from '../basics/bits.ts'
import type { Position, Sort, SortField } from '../lists/list-request.ts'
import { combine, copyBits } from './matches.ts'
import { findSlot, isBefore, orderOf, valueReader } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import {
  countWhile,
  fromBits,
  includes,
  type Posting,
  slotsOf,
  subtractFrom,
  toBits,
  toPosting,
} from './posting.ts'

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
export function cutPage(index: PassportIndex, matches: Posting, request: PageRequest): CutPage {
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
    const slice = { field, isReversed, offset: skipped, wanted: limit + 1 - taken.length }
    const begin = after && points !== undefined ? positionIn(points, after, descending) : after
    if (begin === 'past') continue
    for (const slot of takeSlots(index, posting, { ...slice, after: begin }))
      taken.push({ slot, value: points ?? (values[slot] as number) })
    skipped = Math.max(0, skipped - posting.count)
    if (taken.length > limit) break
  }
  const page = taken.slice(0, limit)
  const last = taken.length > limit ? page.at(-1) : undefined
  return {
    ids: page.map(({ slot }) => index.ids[slot] as number),
    values: page.map(({ value }) => value),
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

/** Selecting the first slots of a list takes longer for each wanted slot; walking through an order does not. */
const MOST_SELECTED = 500

/** So many steps of a walk take as long as reading the value of a slot. Slots that are not among the first are selected. */
const STEPS_PER_SLOT = 16

function takeSlots(index: PassportIndex, matches: Posting, slice: Slice): number[] {
  const isPast = slice.after && createComparison(index, slice, slice.after)
  const { list, count } = matches
  if (!list || slice.offset + slice.wanted > MOST_SELECTED)
    return walkOrder(index, matches, slice, isPast, Number.POSITIVE_INFINITY) ?? []
  return (
    walkOrder(index, matches, slice, isPast, STEPS_PER_SLOT * count) ??
    selectFirst(index, slotsOf(matches), slice, isPast).slice(slice.offset)
  )
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

/** Takes matches in the order of all passports. Gives up after so many of them. */
function walkOrder(
  index: PassportIndex,
  matches: Posting,
  { field, isReversed, wanted, offset }: Slice,
  isPast: IsPast | undefined,
  mostSteps: number,
): number[] | undefined {
  const { slots } = orderOf(index, field)
  const bits = toBits(matches, index.count)
  const isAll = matches.count === slots.length
  // In a list of all passports, those before the page need not be counted.
  let skipped = isAll ? offset : 0
  const step = isReversed ? -1 : 1
  const taken: number[] = []
  const begin = beginOf(slots, isReversed, isPast) + step * skipped
  for (let at = begin; at >= 0 && at < slots.length && taken.length < wanted; at += step) {
    if (Math.abs(at - begin) > mostSteps) return undefined
    const slot = slots[at] as number
    if (slot >>> 5 >= bits.length || hasBit(bits, slot) === 0) continue
    if (skipped === offset) taken.push(slot)
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

/**
 * Divides the matches by the points of their best credential of a type, the most points first. Those without one have 0
 * points.
 */
export function groupByPoints({ count, points }: PassportIndex, matches: Posting, type: string) {
  const left = copyBits(matches, count)
  const groups: { points: number; posting: Posting }[] = []
  for (const [number, holders] of sortByPoints(points.get(type))) {
    const posting = combine(count, [holders, fromBits(left, 0)])
    subtractFrom(left, posting)
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
