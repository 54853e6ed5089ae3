import type { Condition, FilterField, Operator } from '../../domain/v3/filter.ts'
import type { ListQuery } from '../../domain/v3/list-request.ts'
import { searchNames } from '../search.ts'
import { type Column, findSlots, type Value } from './column.ts'
import { namesOf, type Slots } from './slots.ts'

export type Columns = Record<FilterField, Column>

/** One bit for each slot. */
type Bitmap = Uint32Array

/** The slots that match the filter and the keyword, in use or not; `undefined` selects all. */
export function select(slots: Slots, columns: Columns, { filter, keyword }: ListQuery): Bitmap | undefined {
  const bitmaps = filter.map(({ field, conditions }) => {
    const bits = createBitmap(slots)
    for (const { not, ...condition } of conditions) {
      findSlots(columns[field], slots.count, testOf(condition), (slot, isFound) => {
        if (isFound !== not) setBit(bits, slot)
      })
    }
    return bits
  })
  if (keyword !== undefined) bitmaps.push(selectNames(slots, keyword))
  return bitmaps.length === 0 ? undefined : bitmaps.reduce(intersect)
}

export const hasBit = (bits: Bitmap, slot: number) =>
  (((bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1

function setBit(bits: Bitmap, slot: number): void {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
}

const createBitmap = ({ count }: Slots): Bitmap => new Uint32Array(Math.ceil(count / 32))

function selectNames(slots: Slots, keyword: string): Bitmap {
  const bits = createBitmap(slots)
  for (const slot of searchNames(namesOf(slots), keyword)) setBit(bits, slot)
  return bits
}

function intersect(one: Bitmap, other: Bitmap): Bitmap {
  for (let at = 0; at < one.length; at++) one[at] = (one[at] as number) & (other[at] as number)
  return one
}

const TESTS: Record<Operator, (value: Value, than: Value) => boolean> = {
  '=': (value, than) => value === than,
  '>': (value, than) => value > than,
  '>=': (value, than) => value >= than,
  '<': (value, than) => value < than,
  '<=': (value, than) => value <= than,
}

const testOf =
  ({ operator, value: than }: Omit<Condition, 'not'>) =>
  (value: Value) =>
    TESTS[operator](value, than)
