import { createByteCache } from '../basics/byte-cache.ts'
import { FACET_FIELDS, FIELD_SEPARATOR } from '../lists/facets.ts'
import { type Condition, FILTER_FIELDS, type Filter, type FilterField } from '../lists/filter.ts'
import type {
  FacetCount,
  FacetRequest,
  Group,
  ListQuery,
  ListRequest,
  ScoreField,
  ScoreLists,
  Sort,
  SortField,
} from '../lists/list-request.ts'
import type { StoredFacets } from '../store/store.ts'
import {
  type Column,
  countValues,
  createColumn,
  flagLists,
  readField,
  readPoints,
  setTypes,
  sortBy,
  sortSlots,
  type ValueCounts,
  valueAt,
} from './facet-column.ts'
import { type CountedGroups, toGroups } from './facet-groups.ts'
import { createSlots, insertSlots, isAt, positionOf, removeIds, type Slots, slotFor } from './facet-slots.ts'
import { searchNames } from './search.ts'
import { countWhile, cutPage, type ListPage, trim } from './snapshot.ts'

/** A list of a million passports takes 4 MB. */
const MOST_BYTES = 16_000_000

/** The largest groups; `more` is the number of groups that are left out. */
export type Groups = { groups: Group[]; more: number }

/** `among`: how many passports are ranked. `ranks`: the rank of each score. */
type Ranking = { among: number; ranks: ReadonlyMap<number, number> }

export type FacetPage = Pick<ListPage, 'ids' | 'next'> & {
  total: number
  grouped?: Groups | undefined
  /** One list for each requested facet, in the same order. */
  facets?: FacetCount[][] | undefined
  ranking?: Ranking | undefined
  /** The points of each passport of the page, by its id, in the order of the requested types. */
  points?: ReadonlyMap<number, readonly number[]> | undefined
  atLeast?: ScoreLists | undefined
}

const FIELDS = Object.keys(FILTER_FIELDS) as FilterField[]

/** Cached lists and groups are kept until the index changes. */
type Index = {
  readonly slots: Slots
  readonly columns: Record<FilterField, Column>
  /** All slots in use, sorted by each field. */
  readonly orders: Map<SortField, Uint32Array>
  readonly lists: ReturnType<typeof createByteCache<Uint32Array>>
  readonly groups: ReturnType<typeof createByteCache<CountedGroups>>
  /** The counts of all passports, which every search text needs. */
  readonly counts: ReturnType<typeof createByteCache<ValueCounts>>
}

export type FacetIndex = ReturnType<typeof createFacetIndex>

/**
 * The facets of all listed passports, for filters, groups and sorted pages. Each condition of a filter becomes a bitmap. The
 * matching passports are cached in sorted order, so that the last page costs as much as the first.
 */
export function createFacetIndex() {
  const slots = createSlots()
  const createFor = (field: FilterField) =>
    createColumn({
      isNumeric: FILTER_FIELDS[field] === 'number',
      mostShared: field === 'points' ? 0 : undefined,
    })
  const columns = Object.fromEntries(FIELDS.map((field) => [field, createFor(field)])) as Index['columns']
  const stored = FACET_FIELDS.map((field) => columns[field])
  const typeNumbers: number[] = []
  const index: Index = {
    slots,
    columns,
    orders: new Map(),
    lists: createByteCache(MOST_BYTES),
    groups: createByteCache(MOST_BYTES),
    counts: createByteCache(MOST_BYTES),
  }

  /** `old` is the slot of the passport, if it has one. */
  function add({ id, data }: StoredFacets, old?: number): number {
    const end = data.indexOf(FIELD_SEPARATOR)
    const slot = slotFor(slots, { id, name: data.slice(0, end) }, old)
    let position = end + 1
    for (const column of stored) position = readField(column, slot, data, position)
    setTypes(columns.type, columns.points, slot, typeNumbers)
    return slot
  }

  /** Returns whether the passport is in the index already. */
  function update(facets: StoredFacets): boolean {
    const position = positionOf(slots, facets.id)
    if (!isAt(slots, position, facets.id)) return false
    slots.byId[position] = add(facets, slots.byId[position])
    slots.changed++
    return true
  }

  return {
    /** The ids of all passports. */
    ids: () => Float64Array.from(slots.byId, (slot) => slots.ids[slot] as number),

    /** How many passports were changed or removed since the index was created. */
    changed: () => slots.changed,

    /** Whether so many passports were changed that the index should be built again. */
    isSparse: () => slots.changed > 10_000 + slots.byId.length,

    /** Updates the passports in `added`, and removes the others of `ids`. */
    replace(ids: readonly number[], added: readonly StoredFacets[]): void {
      const kept = new Set(added.map(({ id }) => id))
      removeIds(
        slots,
        ids.filter((id) => !kept.has(id)),
      )
      const created = added.filter((facets) => !update(facets)).sort((one, other) => one.id - other.id)
      insertSlots(
        slots,
        created.map((facets) => add(facets)),
      )
      for (const cache of [index.orders, index.lists, index.groups, index.counts]) cache.clear()
    },

    find: (request: ListRequest): FacetPage => findPage(index, request),
  }
}

function findPage(index: Index, request: ListRequest): FacetPage {
  const { slots, columns } = index
  const { sort, groupBy, facets, ranksOf, atLeast, pointsFor = [] } = request
  const list = listOf(index, request)
  const read = readerOf(index, sort)
  const at = (position: number) => {
    const slot = list[position] as number
    const found = { value: read(slot), id: slots.ids[slot] as number }
    return sort.pointsFor === undefined ? found : { ...found, score: valueAt(columns.score, slot) }
  }
  const { values, ...page } = cutPage({ length: list.length, at }, request)
  const readers = pointsFor.map((type) => readPoints(columns.points, type))
  const pointsOf = (id: number) =>
    readers.map((pointsAt) => pointsAt(slots.byId[positionOf(slots, id)] as number))
  return {
    ...page,
    points: pointsFor.length === 0 ? undefined : new Map(page.ids.map((id) => [id, pointsOf(id)])),
    total: list.length,
    grouped: groupBy && withoutFirsts(countGroups(index, request, { field: groupBy })),
    facets: facets?.map((facet) => countFacet(index, request, facet)),
    ranking: ranksOf && rank(index, request, [...values, ...ranksOf]),
    atLeast: atLeast && countScores(index, request, atLeast),
  }
}

/** The slots of a list: the highest scores first, or by id. */
function listOf(index: Index, { keyword, filter, sort }: ListQuery): Uint32Array {
  const all = orderOf(index, sort.field)
  if (keyword === undefined && filter.length === 0 && sort.pointsFor === undefined) return all
  return index.lists.getOrAdd(keyOf({ keyword, filter, sort }), () => {
    // Ranks are computed from the list without the keyword, so that list is cached as well.
    const filtered = filter.length === 0 ? all : keepSelected(all, selectFiltered(index, filter))
    const selected =
      keyword === undefined
        ? filtered
        : keepSelected(listOf(index, { filter, sort }), selectNamed(index.slots, keyword))
    const value = sort.pointsFor === undefined ? selected : sortBy(readerOf(index, sort), selected)
    return { value, bytes: value.byteLength }
  })
}

/** Identifies a list in either direction. */
const keyOf = ({ keyword, filter, sort }: ListQuery, facet?: FacetRequest) =>
  JSON.stringify([keyword, filter, sort.field, sort.pointsFor, facet])

/** Reads the value by which a slot is sorted. */
function readerOf({ slots, columns }: Index, { field, pointsFor }: Sort): (slot: number) => number {
  if (pointsFor !== undefined) return readPoints(columns.points, pointsFor)
  if (field === 'passport_id') return (slot) => slots.ids[slot] as number
  return (slot) => valueAt(columns[field], slot)
}

function orderOf({ slots, columns, orders }: Index, field: SortField): Uint32Array {
  return orders.getOrInsertComputed(field, () =>
    field === 'passport_id' ? slots.byId : sortSlots(columns[field], slots.byId),
  )
}

/** One bit for each slot. */
type Bitmap = Uint32Array

const createBitmap = ({ count }: Slots): Bitmap => new Uint32Array(Math.ceil(count / 32))

/** Returns the slots whose bit is set, in the same order. */
function keepSelected(slots: Uint32Array, bits: Bitmap): Uint32Array {
  const kept = new Uint32Array(slots.length)
  let length = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    kept[length] = slot
    length += ((bits[slot >>> 5] as number) >>> (slot & 31)) & 1
  }
  return kept.slice(0, length)
}

/** The slots that match the filter, including unused ones. The filter must have a term. */
const selectFiltered = ({ slots, columns }: Index, filter: Filter): Bitmap =>
  filter.map(({ field, conditions }) => selectTerm(slots, columns[field], conditions)).reduce(intersect)

function selectTerm(slots: Slots, column: Column, conditions: readonly Condition[]): Bitmap {
  const flags = flagLists(column, conditions)
  const bits = createBitmap(slots)
  for (let slot = 0; slot < slots.count; slot++) {
    const flag = flags[column.starts[slot] as number] as number
    bits[slot >>> 5] = (bits[slot >>> 5] as number) | (flag << (slot & 31))
  }
  return bits
}

/** The slots whose name contains the words of the keyword, including unused slots. */
function selectNamed(slots: Slots, keyword: string): Bitmap {
  const bits = createBitmap(slots)
  for (const slot of searchNames(trim(slots), keyword))
    bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
  return bits
}

function intersect(one: Bitmap, other: Bitmap): Bitmap {
  for (let at = 0; at < one.length; at++) one[at] = (one[at] as number) & (other[at] as number)
  return one
}

function countGroups(index: Index, { keyword, filter, sort }: ListQuery, facet: FacetRequest): CountedGroups {
  return index.groups.getOrAdd(keyOf({ keyword, filter, sort }, facet), () => {
    const list = listOf(index, { keyword, filter, sort })
    const column = index.columns[facet.field]
    const isAll = keyword === undefined && filter.length === 0
    const counted = isAll ? countAll(index, facet.field, sort) : countValues(column, list)
    const value = toGroups(column, counted, facet)
    for (const group of value.groups) group.first = index.slots.ids[list[group.first] as number] as number
    return { value, bytes: 200 * (1 + value.groups.length) }
  })
}

const countAll = (index: Index, field: FilterField, sort: Sort): ValueCounts =>
  index.counts.getOrAdd(`${field} ${sort.field}`, () => {
    const value = countValues(index.columns[field], orderOf(index, sort.field))
    return { value, bytes: value.counts.byteLength + value.firsts.byteLength }
  })

const withoutFirsts = ({ groups, more }: CountedGroups): Groups => ({
  groups: groups.map(({ value, count }) => ({ value, count })),
  more,
})

/** Passports without a value are left out. */
function countFacet(index: Index, { keyword, filter, sort }: ListQuery, facet: FacetRequest): FacetCount[] {
  const { among = 'list' } = facet
  const query = {
    keyword: among === 'list' ? keyword : undefined,
    filter: among === 'all' ? [] : filter,
    sort,
  }
  return countGroups(index, query, facet).groups.flatMap(({ value, count, first }) =>
    value === null ? [] : [{ value, count, first }],
  )
}

/** Only lists that are sorted by a score have ranks. */
function rank(index: Index, { filter, sort }: ListQuery, scores: readonly number[]): Ranking | undefined {
  if (sort.field === 'passport_id') return undefined
  const list = listOf(index, { filter, sort })
  const read = readerOf(index, sort)
  const countAbove = (score: number) => countWhile(list.length, (at) => read(list[at] as number) > score)
  return { among: list.length, ranks: new Map(scores.map((score) => [score, 1 + countAbove(score)])) }
}

/** For each score: how many of all passports have that score or a higher one. */
function countScores(index: Index, { sort }: ListQuery, wanted: ScoreLists): ScoreLists {
  const fields = Object.entries(wanted) as [ScoreField, readonly number[]][]
  return Object.fromEntries(
    fields.map(([field, scores]) => {
      const { values } = index.columns[field]
      const { counts } = countAll(index, field, sort)
      const countAtLeast = (score: number) =>
        counts.reduce((sum, count, number) => ((values[number] as number) >= score ? sum + count : sum), 0)
      return [field, scores.map(countAtLeast)]
    }),
  )
}
