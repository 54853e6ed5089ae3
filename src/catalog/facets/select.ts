import type { Condition, Filter, FilterField, Operator } from '../../domain/lists/filter.ts'
import { searchNames } from '../search.ts'
import { type Column, nextStart, type Value } from './column.ts'
import { namesOf, type Slots } from './slots.ts'

export type Columns = Record<FilterField, Column>

/** One bit for each slot. */
type Bitmap = Uint32Array

/** The slots, in use or not, that match the filter, which has at least one term. */
export const selectFiltered = (slots: Slots, columns: Columns, filter: Filter): Bitmap =>
  filter.map(({ field, conditions }) => selectTerm(slots, columns[field], conditions)).reduce(intersect)

/** The slots whose bit is set, in their order. */
export function keepSelected(slots: Uint32Array, bits: Bitmap): Uint32Array {
  const kept = new Uint32Array(slots.length)
  let length = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    kept[length] = slot
    length += ((bits[slot >>> 5] as number) >>> (slot & 31)) & 1
  }
  return kept.slice(0, length)
}

function setBit(bits: Bitmap, slot: number): void {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
}

const createBitmap = ({ count }: Slots): Bitmap => new Uint32Array(Math.ceil(count / 32))

function selectTerm(slots: Slots, column: Column, conditions: readonly Condition[]): Bitmap {
  const flags = flagLists(column, conditions)
  const bits = createBitmap(slots)
  for (let slot = 0; slot < slots.count; slot++) {
    const flag = flags[column.starts[slot] as number] as number
    bits[slot >>> 5] = (bits[slot >>> 5] as number) | (flag << (slot & 31))
  }
  return bits
}

/** 1 for each list, by its start, for which one of the conditions holds. Each condition is a bit: a filter has at most 32. */
function flagLists(column: Column, conditions: readonly Condition[]): Uint8Array {
  const { lists, used } = column
  const bits = testValues(column, conditions)
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

/** The conditions that hold for each value. Only comparisons test all values. */
function testValues({ values, numbers }: Column, conditions: readonly Condition[]): Uint32Array {
  const bits = new Uint32Array(values.length)
  for (const [at, { operator, value: than }] of conditions.entries()) {
    if (operator === '=') {
      const number = numbers.get(than)
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

/** The slots, in use or not, whose name contains the words of the keyword. */
export function selectNamed(slots: Slots, keyword: string): Bitmap {
  const bits = createBitmap(slots)
  for (const slot of searchNames(namesOf(slots), keyword)) setBit(bits, slot)
  return bits
}

function intersect(one: Bitmap, other: Bitmap): Bitmap {
  for (let at = 0; at < one.length; at++) one[at] = (one[at] as number) & (other[at] as number)
  return one
}

const TESTS: Record<Exclude<Operator, '='>, (value: Value, than: Value) => boolean> = {
  '>': (value, than) => value > than,
  '>=': (value, than) => value >= than,
  '<': (value, than) => value < than,
  '<=': (value, than) => value <= than,
}
