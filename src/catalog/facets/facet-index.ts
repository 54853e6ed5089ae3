import { FILTER_FIELDS, type FilterField } from '../../domain/lists/filter.ts'
import type {
  FacetCount,
  FacetRequest,
  Group,
  ListQuery,
  ListRequest,
  ScoreField,
  ScoreLists,
} from '../../domain/lists/list-request.ts'
import type { Facets } from '../../store/store.ts'
import { createByteCache } from '../byte-cache.ts'
import { countWhile, cutPage, type ListPage } from '../sorted-list.ts'
import { countAtLeast, createColumn, setValues, valueAt } from './column.ts'
import { createFilteredLists } from './filtered-lists.ts'
import { type CountedGroups, groupSlots } from './group.ts'
import type { Columns } from './select.ts'
import { addSlot, createSlots, replaceSlots, type Slots } from './slots.ts'

const MOST_BYTES = 16_000_000

/** The largest groups, and the number of those left out. */
export type Groups = { groups: Group[]; more: number }

/** `among`: the number of passports that are ranked. `ranks`: by score; equal scores have the same rank. */
export type Ranking = { among: number; ranks: ReadonlyMap<number, number> }

export type FacetPage = Pick<ListPage, 'ids' | 'next'> & {
  total: number
  grouped?: Groups | undefined
  /** In the order of the request. */
  facets?: FacetCount[][] | undefined
  ranking?: Ranking | undefined
  atLeast?: ScoreLists | undefined
}

const FIELDS = Object.keys(FILTER_FIELDS) as FilterField[]

export type FacetIndex = ReturnType<typeof createFacetIndex>

/**
 * The facets of all listed passports, for filters, groups and sorted pages. Each condition of a filter becomes a bitmap. The
 * matching passports are cached in sorted order, so that the last page costs as much as the first.
 */
export function createFacetIndex() {
  const slots = createSlots()
  const columns = Object.fromEntries(FIELDS.map((field) => [field, createColumn()])) as Columns
  const { listOf, clear } = createFilteredLists(slots, columns)
  const groups = createByteCache<CountedGroups>(MOST_BYTES)
  const parts: Parts = { slots, columns, listOf, groups }

  function add(facets: Facets): number {
    const slot = addSlot(slots, facets)
    for (const field of FIELDS) setValues(columns[field], slot, facets[field])
    return slot
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
      clear()
      groups.clear()
    },

    find(request: ListRequest): FacetPage {
      const { sort, groupBy, facets, ranksOf, atLeast } = request
      const list = listOf(request)
      const at = (index: number) => {
        const slot = list[index] as number
        const id = slots.ids[slot] as number
        return { value: sort.field === 'passport_id' ? id : valueAt(columns[sort.field], slot), id }
      }
      const { values, ...page } = cutPage({ length: list.length, at }, request)
      return {
        ...page,
        total: list.length,
        grouped: groupBy && withoutFirsts(countGroups(parts, request, { field: groupBy })),
        facets: facets?.map((facet) => countFacet(parts, request, facet)),
        ranking: ranksOf && rank(parts, request, [...values, ...ranksOf]),
        atLeast: atLeast && countScores(parts, request, atLeast),
      }
    },
  }
}

type Parts = {
  slots: Slots
  columns: Columns
  listOf: (query: ListQuery) => Uint32Array
  groups: ReturnType<typeof createByteCache<CountedGroups>>
}

function countGroups(parts: Parts, { keyword, filter, sort }: ListQuery, facet: FacetRequest): CountedGroups {
  const key = JSON.stringify([keyword, filter, sort.field, facet])
  return parts.groups.getOrAdd(key, () => {
    const list = parts.listOf({ keyword, filter, sort })
    const value = groupSlots(parts.columns[facet.field], list, facet)
    for (const group of value.groups) group.first = parts.slots.ids[list[group.first] as number] as number
    return { value, bytes: 200 * (1 + value.groups.length) }
  })
}

const withoutFirsts = ({ groups, more }: CountedGroups): Groups => ({
  groups: groups.map(({ value, count }) => ({ value, count })),
  more,
})

/** Passports without a value are left out. */
function countFacet(parts: Parts, { keyword, filter, sort }: ListQuery, facet: FacetRequest): FacetCount[] {
  const { among = 'list' } = facet
  const query = {
    keyword: among === 'list' ? keyword : undefined,
    filter: among === 'all' ? [] : filter,
    sort,
  }
  return countGroups(parts, query, facet).groups.flatMap(({ value, count, first }) =>
    value === null ? [] : [{ value, count, first }],
  )
}

/** Lists by score begin with the highest one; those by id have no ranks. */
function rank(parts: Parts, { filter, sort }: ListQuery, scores: readonly number[]): Ranking | undefined {
  if (sort.field === 'passport_id') return undefined
  const list = parts.listOf({ filter, sort })
  const column = parts.columns[sort.field]
  const countAbove = (score: number) =>
    countWhile(list.length, (at) => valueAt(column, list[at] as number) > score)
  return { among: list.length, ranks: new Map(scores.map((score) => [score, 1 + countAbove(score)])) }
}

function countScores(
  { columns, listOf }: Parts,
  { filter, sort }: ListQuery,
  wanted: ScoreLists,
): ScoreLists {
  const list = listOf({ filter, sort })
  const fields = Object.entries(wanted) as [ScoreField, readonly number[]][]
  return Object.fromEntries(
    fields.map(([field, scores]) => [field, countAtLeast(columns[field], list, scores)]),
  )
}
