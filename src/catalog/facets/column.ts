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
export const valueAt = (column: Column, slot: number) =>
  valueIn(column, column.starts[slot] as number) as number

const valueIn = ({ values, lists }: Column, start: number) => values[lists[start + 1] as number] as Value

/** The starts of all lists but the empty one. */
function* startsOf({ lists, used }: Column): Generator<number> {
  for (let start = 1; start < used; start += 1 + (lists[start] as number)) yield start
}

/** Sets the flags of the lists with a value for which `test` holds, by their start; or with `not` those of all others. */
export function flagLists(column: Column, flags: Uint8Array, test: (value: Value) => boolean, not: boolean) {
  const { lists, values } = column
  const holds = Uint8Array.from(values, (value) => Number(test(value)))
  if (not) flags[0] = 1
  for (const start of startsOf(column)) {
    const list = lists.subarray(start + 1, start + 1 + (lists[start] as number))
    if (list.some((number) => holds[number] === 1) !== not) flags[start] = 1
  }
}

/** The number of slots with each value, and without a value. */
export function countValues(column: Column, slots: Uint32Array): Group[] {
  const { values, lists } = column
  const sizes = countLists(column, slots)
  const counts = new Uint32Array(values.length)
  for (const start of startsOf(column)) {
    const end = start + (lists[start] as number)
    for (let at = start + 1; at <= end; at++) add(counts, lists[at] as number, sizes[start] as number)
  }
  const groups = values.map((value, number) => ({ value: String(value), count: counts[number] as number }))
  return [{ value: null, count: sizes[0] as number }, ...groups]
}

/** The number of slots with each list, by its start. */
function countLists({ starts, used }: Column, slots: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(used)
  // An iterator is ten times slower.
  for (let at = 0; at < slots.length; at++) add(sizes, starts[slots[at] as number] as number, 1)
  return sizes
}

/** Returns the number before. */
function add(numbers: Uint32Array, index: number, more: number): number {
  const before = numbers[index] as number
  numbers[index] = before + more
  return before
}

/** The slots by their only value, descending; slots with equal values keep their order. A counting sort. */
export function sortSlots(column: Column, slots: Uint32Array): Uint32Array {
  const sizes = countLists(column, slots)
  const places = new Uint32Array(column.used)
  let next = 0
  for (const start of [...startsOf(column)].sort(
    (one, other) => Number(valueIn(column, other)) - Number(valueIn(column, one)),
  )) {
    places[start] = next
    next += sizes[start] as number
  }
  const sorted = new Uint32Array(slots.length)
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    sorted[add(places, column.starts[slot] as number, 1)] = slot
  }
  return sorted
}
