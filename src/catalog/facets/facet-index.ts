import { FILTER_FIELDS, type FilterField } from '../../domain/v3/filter.ts'
import type { Group, ListRequest, SortField } from '../../domain/v3/list-request.ts'
import type { Facets } from '../../store/store.ts'
import { createByteCache } from '../byte-cache.ts'
import { countWhile, cutPage, type ListPage } from '../sorted-list.ts'
import { type Column, countValues, createColumn, setValues, sortSlots, valueAt } from './column.ts'
import { type Columns, keepSelected, select } from './select.ts'
import { addSlot, createSlots, replaceSlots } from './slots.ts'

/** A list of a million passports takes 4 MB. */
const MOST_BYTES = 16_000_000

const MOST_GROUPS = 100

/** The largest groups, and the number of those left out. */
export type Groups = { groups: Group[]; more: number }

export type FacetPage = ListPage & { total: number; grouped: Groups | undefined }

const FIELDS = Object.keys(FILTER_FIELDS) as FilterField[]

export type FacetIndex = ReturnType<typeof createFacetIndex>

/**
 * The facets of all listed passports, for filters, groups and sorted pages. Each condition of a filter becomes a bitmap. The
 * matching passports are cached in sorted order, so that the last page costs as much as the first.
 */
export function createFacetIndex() {
  const slots = createSlots()
  const columns = Object.fromEntries(FIELDS.map((field) => [field, createColumn()])) as Columns
  /** All slots in use, in sorted order. */
  const orders = new Map<SortField, Uint32Array>()
  const lists = createByteCache<Uint32Array>(MOST_BYTES)
  const counts = createByteCache<Groups>(MOST_BYTES)

  function add(facets: Facets): number {
    const slot = addSlot(slots, facets)
    for (const field of FIELDS) setValues(columns[field], slot, facets[field])
    return slot
  }

  function orderOf(field: SortField): Uint32Array {
    const sort = () => (field === 'passport_id' ? slots.byId : sortSlots(columns[field], slots.byId))
    const order = orders.get(field) ?? sort()
    orders.set(field, order)
    return order
  }

  function makeList(request: ListRequest) {
    const order = orderOf(request.sort.field)
    const bits = select(slots, columns, request)
    const value = bits ? keepSelected(order, bits) : order
    return { value, bytes: value.byteLength }
  }

  return {
    /** The ids of all passports. */
    ids: () => Float64Array.from(slots.byId, (slot) => slots.ids[slot] as number),

    /** Changed and removed passports leave unused slots. */
    unused: () => slots.count - slots.byId.length,

    /** With too many unused slots, a new index is smaller. */
    isSparse: () => slots.count > 10_000 + 2 * slots.byId.length,

    /** Removes the passports with these ids, and adds others. */
    replace(removed: readonly number[], added: readonly Facets[]): void {
      replaceSlots(slots, removed, added.toSorted((one, other) => one.id - other.id).map(add))
      orders.clear()
      lists.clear()
      counts.clear()
    },

    find(request: ListRequest): FacetPage {
      const { keyword, filter, sort, groupBy, groupPrefix } = request
      const key = JSON.stringify([keyword, filter, sort.field])
      const list = lists.getOrAdd(key, () => makeList(request))
      const at = (index: number) => {
        const slot = list[index] as number
        const id = slots.ids[slot] as number
        return { value: sort.field === 'passport_id' ? id : valueAt(columns[sort.field], slot), id }
      }
      return {
        ...cutPage({ length: list.length, at }, request),
        total: list.length,
        grouped:
          groupBy &&
          counts.getOrAdd(JSON.stringify([groupBy, groupPrefix, key]), () =>
            group(columns[groupBy], list, groupPrefix),
          ),
      }
    },
  }
}

/** The largest groups first, equal ones by value. */
function group(column: Column, list: Uint32Array, prefix = '') {
  const { counts, none } = countValues(column, list)
  const groups: Group[] = []
  const hasNone = none > 0 && prefix === ''
  let all = Number(hasNone)
  if (hasNone) groups.push({ value: null, count: none })
  for (let number = 0; number < counts.length; number++) {
    const count = counts[number] as number
    if (count === 0) continue
    const value = String(column.values[number])
    if (!hasWord(value, prefix)) continue
    all++
    insertGroup(groups, { value, count })
  }
  return { value: { groups, more: all - groups.length }, bytes: 200 * (1 + groups.length) }
}

const hasWord = (value: string, prefix: string) =>
  prefix === '' || value.startsWith(prefix) || value.includes(` ${prefix}`) || value.includes(`_${prefix}`)

/** A sort of all groups would take a second for a million of them. */
function insertGroup(groups: Group[], added: Group): void {
  const last = groups[MOST_GROUPS - 1]
  if (last && isBefore(last, added)) return
  const place = countWhile(groups.length, (at) => isBefore(groups[at] as Group, added))
  groups.splice(place, 0, added)
  if (groups.length > MOST_GROUPS) groups.pop()
}

const isBefore = (one: Group, other: Group) =>
  one.count > other.count || (one.count === other.count && String(one.value) < String(other.value))
