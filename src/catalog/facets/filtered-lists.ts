import type { ListQuery, SortField } from '../../domain/lists/list-request.ts'
import { createByteCache } from '../byte-cache.ts'
import { sortSlots } from './column.ts'
import { type Columns, keepSelected, selectFiltered, selectNamed } from './select.ts'
import type { Slots } from './slots.ts'

/** A list of a million passports takes 4 MB. */
const MOST_BYTES = 16_000_000

/** The slots of lists in sorted order, highest scores first, or by id. They are kept until the index changes. */
export function createFilteredLists(slots: Slots, columns: Columns) {
  /** All slots in use. */
  const orders = new Map<SortField, Uint32Array>()
  const lists = createByteCache<Uint32Array>(MOST_BYTES)

  function orderOf(field: SortField): Uint32Array {
    const sort = () => (field === 'passport_id' ? slots.byId : sortSlots(columns[field], slots.byId))
    const order = orders.get(field) ?? sort()
    orders.set(field, order)
    return order
  }

  /** A list with a keyword is a part of the list without it, which ranks need. */
  function make({ keyword, filter, sort }: ListQuery): Uint32Array {
    return keyword === undefined
      ? keepSelected(orderOf(sort.field), selectFiltered(slots, columns, filter))
      : keepSelected(listOf({ filter, sort }), selectNamed(slots, keyword))
  }

  function listOf(query: ListQuery): Uint32Array {
    const { keyword, filter, sort } = query
    if (keyword === undefined && filter.length === 0) return orderOf(sort.field)
    return lists.getOrAdd(JSON.stringify([keyword, filter, sort.field]), () => {
      const value = make(query)
      return { value, bytes: value.byteLength }
    })
  }

  return {
    listOf,
    clear(): void {
      orders.clear()
      lists.clear()
    },
  }
}
