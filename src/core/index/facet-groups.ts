import type { FacetRequest, Group } from '../lists/list-request.ts'
import { findNumber } from './dictionary.ts'
import type { Column, ValueCounts } from './facet-column.ts'
import { countWhile } from './snapshot.ts'

const MOST_GROUPS = 100

/** `first` is the index of the first slot with the value. */
type Counted = Group & { first: number }

export type CountedGroups = { groups: Counted[]; more: number }

/** The wanted values with their counts. Sorts groups by size, then by value. `more`: how many groups are left out. */
export function toGroups(
  column: Column,
  counted: ValueCounts,
  wanted: Pick<FacetRequest, 'values'>,
): CountedGroups {
  const { counts, firsts, none } = counted
  const { texts } = column
  const groups: Counted[] = []
  let all = 0
  const add = (value: string | null, count: number, first: number) => {
    if (count === 0) return
    all++
    insertGroup(groups, { value, count, first })
  }
  // Listed values are looked up, because a column may have a million values.
  const listed =
    wanted.values && [...new Set(wanted.values)].flatMap((value) => findNumber(column, value) ?? [])
  if (!listed) add(null, none, 0)
  for (let at = 0; at < (listed ?? counts).length; at++) {
    const number = listed ? (listed[at] as number) : at
    const count = counts[number] as number
    if (count > 0) add(texts[number] as string, count, firsts[number] as number)
  }
  return { groups, more: all - groups.length }
}

/** Keeps only the largest groups, in order, because sorting a million groups would take a second. */
function insertGroup(groups: Counted[], added: Counted): void {
  const last = groups[MOST_GROUPS - 1]
  if (last && isBefore(last, added)) return
  const place = countWhile(groups.length, (at) => isBefore(groups[at] as Counted, added))
  groups.splice(place, 0, added)
  if (groups.length > MOST_GROUPS) groups.pop()
}

const isBefore = (one: Group, other: Group) =>
  one.count > other.count || (one.count === other.count && String(one.value) < String(other.value))
