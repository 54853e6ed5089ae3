import type { FacetRequest, Group } from '../../domain/lists/list-request.ts'
import { countWhile } from '../sorted-list.ts'
import { type Column, countValues } from './column.ts'

const MOST_GROUPS = 100

/** `first` is the index of the first slot with the value. */
type Counted = Group & { first: number }

export type CountedGroups = { groups: Counted[]; more: number }

/** The largest groups of slots first, equal ones by value; `more` is the number of those left out. */
export function groupSlots(column: Column, slots: Uint32Array, wanted: Wanted): CountedGroups {
  const { counts, firsts, none } = countValues(column, slots)
  const isWanted = createTest(wanted)
  const groups: Counted[] = []
  let all = 0
  const add = (value: string | null, count: number, first: number) => {
    if (count === 0 || !isWanted(value)) return
    all++
    insertGroup(groups, { value, count, first })
  }
  add(null, none, 0)
  for (let number = 0; number < counts.length; number++) {
    const count = counts[number] as number
    if (count > 0) add(String(column.values[number]), count, firsts[number] as number)
  }
  return { groups, more: all - groups.length }
}

type Wanted = Pick<FacetRequest, 'prefix' | 'values'>

function createTest({ prefix, values }: Wanted): (value: string | null) => boolean {
  if (values) {
    const known = new Set<string | null>(values)
    return (value) => known.has(value)
  }
  if (prefix === undefined) return () => true
  return (value) =>
    value !== null &&
    (value.startsWith(prefix) || value.includes(` ${prefix}`) || value.includes(`_${prefix}`))
}

/** A sort of all groups would take a second for a million of them. */
function insertGroup(groups: Counted[], added: Counted): void {
  const last = groups[MOST_GROUPS - 1]
  if (last && isBefore(last, added)) return
  const place = countWhile(groups.length, (at) => isBefore(groups[at] as Counted, added))
  groups.splice(place, 0, added)
  if (groups.length > MOST_GROUPS) groups.pop()
}

const isBefore = (one: Group, other: Group) =>
  one.count > other.count || (one.count === other.count && String(one.value) < String(other.value))
