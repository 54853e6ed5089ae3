import { FIELD_SEPARATOR, VALUE_SEPARATOR } from '../lists/facets.ts'
import type { Condition, Operator } from '../lists/filter.ts'
import {
  addToHash,
  createDictionary,
  type Dictionary,
  findNumber,
  numberAt,
  numberOf,
  SEED,
  type Value,
} from './dictionary.ts'
import { grow } from './snapshot.ts'

/** Two bytes are enough for most columns. */
type Numbers = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** The values of one field, dictionary-encoded: each slot has a list of value numbers, and equal lists are stored once. */
export type Column = Dictionary & {
  /** Each list is its length, followed by its value numbers. Slots without a value have the empty list at 0. */
  lists: Numbers
  used: number
  /** Finds the start of a list by its value numbers. `mostShared` limits the number of lists in it. */
  shared: Map<number | string, number>
  mostShared: number
  /** The start of each slot's list. */
  starts: Numbers
}

/** Above this number of shared lists, a new list with several values is not shared: each slot gets its own copy. */
const MOST_SHARED_LISTS = 100_000

/** If lists are rarely equal, `mostShared` is 0: looking for an equal list would take most of the time and memory. */
export const createColumn = ({ isNumeric = false, mostShared = MOST_SHARED_LISTS }): Column => ({
  ...createDictionary(isNumeric),
  lists: new Uint16Array(1024),
  used: 1,
  shared: new Map(),
  mostShared,
  starts: new Uint16Array(1024),
})

const FIELD_END = FIELD_SEPARATOR.charCodeAt(0)
const VALUE_END = VALUE_SEPARATOR.charCodeAt(0)

/** Sets the values of a slot to those of a field in the text of its facets. Returns the position of the next field. */
export function readField(column: Column, slot: number, text: string, position: number): number {
  const list: number[] = []
  let first = position
  let hash = SEED
  for (let at = position; ; at++) {
    const code = at < text.length ? text.charCodeAt(at) : FIELD_END
    if (code !== FIELD_END && code !== VALUE_END) {
      hash = addToHash(hash, code)
      continue
    }
    if (at > first) list.push(numberAt(column, hash, text, first, at))
    if (code === FIELD_END) {
      setList(column, slot, list)
      return at + 1
    }
    first = at + 1
    hash = SEED
  }
}

/** Sets the types of a slot to those of its points. `typeNumbers` has the type of each of the points, by their numbers. */
export function setTypes(column: Column, points: Column, slot: number, typeNumbers: number[]): void {
  const start = points.starts[slot] as number
  const list: number[] = []
  for (let at = start + 1; start > 0 && at < nextStart(points, start); at++) {
    const of = points.lists[at] as number
    typeNumbers[of] ??= numberOf(column, parsePoints(points.texts[of] as string).type)
    const number = typeNumbers[of]
    if (!list.includes(number)) list.push(number)
  }
  setList(column, slot, list)
}

function setList(column: Column, slot: number, list: number[]): void {
  const start = startOf(column, list, column.starts[slot])
  column.starts = fit(column.starts, slot + 1, start)
  column.starts[slot] = start
}

/** Returns the numbers in an array that has room for `length` numbers up to `largest`. */
function fit(numbers: Numbers, length: number, largest: number): Numbers {
  const fitting = largest > 0xffff && numbers instanceof Uint16Array ? new Uint32Array(numbers) : numbers
  return length > fitting.length ? grow<Numbers>(fitting, 2 * length) : fitting
}

/** `old` is the start of the list that the new list replaces. */
function startOf(column: Column, list: number[], old = 0): number {
  if (list.length === 0) return 0
  // If lists are not shared, no other slot has the old list.
  if (column.mostShared === 0)
    return addList(column, list, undefined, column.lists[old] === list.length ? old : undefined)
  const key = keyOf(list)
  return column.shared.get(key) ?? addList(column, list, key)
}

/** The key of a list, in any order: its number, or a negative number with a bit for each, if they are small. */
function keyOf(list: number[]): number | string {
  if (list.length === 1) return list[0] as number
  let bits = 0
  for (const number of list) bits += 2 ** number
  return bits < 2 ** 53 ? -bits : list.sort((one, other) => one - other).join()
}

function addList(
  column: Column,
  list: readonly number[],
  key?: number | string,
  start = column.used,
): number {
  const { shared, mostShared } = column
  column.used = Math.max(column.used, start + 1 + list.length)
  column.lists = fit(column.lists, column.used, Math.max(list.length, column.values.length))
  column.lists[start] = list.length
  column.lists.set(list, start + 1)
  if (key !== undefined && (list.length === 1 || shared.size < mostShared)) shared.set(key, start)
  return start
}

/** The value of a slot, in a column in which each slot has one number. */
export const valueAt = ({ values, lists, starts }: Column, slot: number) =>
  values[lists[(starts[slot] as number) + 1] as number] as number

/** The start of the list after this one. The first list after the empty one is at 1. */
const nextStart = ({ lists }: Column, start: number) => start + 1 + (lists[start] as number)

export type ValueCounts = { counts: Uint32Array; firsts: Uint32Array; none: number }

/** For each value: how many slots have it, and the index of the first one. `none`: how many slots have no value. */
export function countValues(column: Column, slots: Uint32Array): ValueCounts {
  const { values, lists } = column
  const { sizes, firsts: ofLists } = countLists(column, slots)
  const counts = new Uint32Array(values.length)
  const firsts = new Uint32Array(values.length).fill(slots.length)
  for (let start = 1, end = 0; start < column.used; start = end) {
    end = nextStart(column, start)
    const size = sizes[start] as number
    for (let at = start + 1; size > 0 && at < end; at++) {
      const number = lists[at] as number
      add(counts, number, size)
      firsts[number] = Math.min(firsts[number] as number, ofLists[start] as number)
    }
  }
  return { counts, firsts, none: sizes[0] as number }
}

/** For each list, by its start: how many slots have it, and the index of the first one. */
function countLists({ starts, used }: Column, slots: Uint32Array) {
  const sizes = new Uint32Array(used)
  const firsts = new Uint32Array(used)
  // `for of` is ten times slower.
  for (let at = 0; at < slots.length; at++) {
    const start = starts[slots[at] as number] as number
    if (add(sizes, start, 1) === 0) firsts[start] = at
  }
  return { sizes, firsts }
}

/** Adds to a number in the array, and returns its old value. */
function add(numbers: Uint32Array, index: number, more: number): number {
  const before = numbers[index] as number
  numbers[index] = before + more
  return before
}

/** Counting sort: slots with the highest value first. Slots with equal values keep their order. */
export function sortSlots(column: Column, slots: Uint32Array): Uint32Array {
  const { sizes } = countLists(column, slots)
  const places = new Uint32Array(column.used)
  let next = 0
  // A typed array sorts without a comparator, which would take most of the time.
  const ascending = Float64Array.from(column.values as number[]).sort()
  for (const value of ascending.reverse()) {
    const start = column.shared.get(findNumber(column, value) as number) as number
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

/** Reads a slot's points for credentials of a folded type: the highest, or 0 if there are none. A page reads few values. */
export function readPoints(column: Column, wanted: string): (slot: number) => number {
  const { values, lists, starts } = column
  const known = new Float64Array(values.length).fill(-1)
  const read = (number: number) => {
    if (known[number] === -1) {
      const { points, type } = parsePoints(values[number] as string)
      known[number] = type === wanted ? points : 0
    }
    return known[number] as number
  }
  return (slot) => {
    const start = starts[slot] as number
    let most = 0
    for (let at = start + 1; start > 0 && at < nextStart(column, start); at++)
      most = Math.max(most, read(lists[at] as number))
    return most
  }
}

/** Slots with the highest value first. Slots with equal values keep their order. */
export function sortBy(read: (slot: number) => number, slots: Uint32Array): Uint32Array {
  const values = new Float64Array(slots.length)
  for (let at = 0; at < slots.length; at++) values[at] = read(slots[at] as number)
  const ascending = values.toSorted()
  /** The next place for each value. */
  const places = new Map<number, number>()
  for (let at = 0; at < slots.length; at++) places.set(ascending[at] as number, slots.length - 1 - at)
  const sorted = new Uint32Array(slots.length)
  for (let at = 0; at < slots.length; at++) {
    const value = values[at] as number
    const place = places.get(value) as number
    places.set(value, place + 1)
    sorted[place] = slots[at] as number
  }
  return sorted
}

/** Returns flags: 1 at the start of each list that fulfils any condition. Each condition is a bit: 32 at most. */
export function flagLists(column: Column, conditions: readonly Condition[]): Uint8Array {
  const { lists, used } = column
  const bits = (conditions[0]?.type === undefined ? testValues : testPoints)(column, conditions)
  const negated = conditions.reduce((all, { not }, at) => all | (Number(not) << at), 0)
  const flags = new Uint8Array(used)
  flags[0] = Number(negated !== 0)
  for (let start = 1, end = 0; start < used; start = end) {
    end = nextStart(column, start)
    let found = 0
    for (let at = start + 1; at < end; at++) found |= bits[lists[at] as number] as number
    flags[start] = Number(found !== negated)
  }
  return flags
}

/** A bit for each condition that a value fulfils. `=` looks up its value; the other operators test all values. */
function testValues(column: Column, conditions: readonly Condition[]): Uint32Array {
  const { values } = column
  const bits = new Uint32Array(values.length)
  for (const [at, { operator, value: than }] of conditions.entries()) {
    if (operator === '=') {
      const number = findNumber(column, than)
      if (number !== undefined) bits[number] = (bits[number] as number) | (1 << at)
      continue
    }
    const test = TESTS[operator]
    for (let number = 0; number < bits.length; number++) {
      if (test(values[number] as Value, than)) bits[number] = (bits[number] as number) | (1 << at)
    }
  }
  return bits
}

/** Parses a value such as "20.25 github": the points and the type of a credential. */
function parsePoints(text: string) {
  const end = text.indexOf(' ')
  return { points: Number(text.slice(0, end)), type: text.slice(end + 1) }
}

function testPoints({ values }: Column, conditions: readonly Condition[]): Uint32Array {
  return Uint32Array.from(values as string[], (text) => {
    const { points, type } = parsePoints(text)
    return conditions.reduce(
      (bits, { operator, value: than, type: of }, at) =>
        of === type && TESTS[operator](points, than) ? bits | (1 << at) : bits,
      0,
    )
  })
}

const TESTS: Record<Operator, (value: Value, than: Value) => boolean> = {
  '=': (value, than) => value === than,
  '>': (value, than) => value > than,
  '>=': (value, than) => value >= than,
  '<': (value, than) => value < than,
  '<=': (value, than) => value <= than,
}
