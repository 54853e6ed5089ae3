import type { Group } from '../../domain/v3/list-request.ts'
import { grow } from '../grow.ts'

export type Value = string | number

/** The values of one field, dictionary-encoded: each slot has a list of value numbers, and equal lists are stored once. */
export type Column = {
  values: Value[]
  numbers: Map<Value, number>
  /** Each list is its length, followed by its value numbers. Slots without a value have the empty list at 0. */
  lists: Uint32Array<ArrayBuffer>
  used: number
  /** The starts of lists, by their value numbers. */
  shared: Map<number | string, number>
  /** The start of each slot's list. */
  starts: Uint32Array<ArrayBuffer>
}

/** Lists of several values that slots share. Further ones are stored for each slot. */
const MOST_SHARED_LISTS = 100_000

export const createColumn = (): Column => ({
  values: [],
  numbers: new Map(),
  lists: new Uint32Array(1024),
  used: 1,
  shared: new Map(),
  starts: new Uint32Array(1024),
})

export function setValues(column: Column, slot: number, values: readonly Value[]): void {
  if (slot >= column.starts.length) column.starts = grow(column.starts, 2 * slot)
  column.starts[slot] = values.length === 0 ? 0 : startOf(column, values)
}

function startOf(column: Column, values: readonly Value[]): number {
  const { shared } = column
  const list = values.map((value) => numberOf(column, value))
  const key = list.length === 1 ? (list[0] as number) : list.sort().join()
  const known = shared.get(key)
  if (known !== undefined) return known
  const start = column.used
  column.used += 1 + list.length
  if (column.used > column.lists.length) column.lists = grow(column.lists, 2 * column.used)
  column.lists[start] = list.length
  column.lists.set(list, start + 1)
  if (list.length === 1 || shared.size < MOST_SHARED_LISTS) shared.set(key, start)
  return start
}

function numberOf({ values, numbers }: Column, value: Value): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  numbers.set(value, values.length)
  return values.push(value) - 1
}

/** The only value of a slot of a column of numbers. */
export const valueAt = (column: Column, slot: number) => column.values[numberAt(column, slot)] as number

const numberAt = ({ starts, lists }: Column, slot: number) => lists[(starts[slot] as number) + 1] as number

/** Calls `mark` with the slots below `count` that have a value for which `test` holds. */
export function findSlots(
  { values, starts, lists }: Column,
  count: number,
  test: (value: Value) => boolean,
  mark: (slot: number, isFound: boolean) => void,
): void {
  const holds = Uint8Array.from(values, (value) => Number(test(value)))
  for (let slot = 0; slot < count; slot++) {
    const start = starts[slot] as number
    let found = 0
    for (let at = start + (lists[start] as number); at > start; at--)
      found |= holds[lists[at] as number] as number
    mark(slot, found === 1)
  }
}

/** The number of slots with each value, and without a value. */
export function countValues({ values, starts, lists }: Column, slots: Uint32Array): Group[] {
  const counts = new Uint32Array(values.length)
  let none = 0
  for (const slot of slots) {
    const start = starts[slot] as number
    const end = start + (lists[start] as number)
    if (end === start) none++
    for (let at = start + 1; at <= end; at++) increment(counts, lists[at] as number)
  }
  const groups = values.map((value, number) => ({ value: String(value), count: counts[number] as number }))
  return [{ value: null, count: none }, ...groups]
}

/** Returns the number before. */
function increment(counts: Uint32Array, index: number): number {
  const before = counts[index] as number
  counts[index] = before + 1
  return before
}

/** The slots by their only value, descending; slots with equal values keep their order. A counting sort. */
export function sortSlots(column: Column, slots: Uint32Array): Uint32Array {
  const { values } = column
  const places = new Uint32Array(values.length)
  for (const slot of slots) increment(places, numberAt(column, slot))
  let next = 0
  for (const number of [...values.keys()].sort((one, other) => Number(values[other]) - Number(values[one]))) {
    const size = places[number] as number
    places[number] = next
    next += size
  }
  const sorted = new Uint32Array(slots.length)
  for (const slot of slots) sorted[increment(places, numberAt(column, slot))] = slot
  return sorted
}
