import type { GroupField } from '../lists/list-request.ts'
import { countAlive, NO_VALUE, type PassportIndex } from './passport-index.ts'
import { countIn, countWhile, includes, type Posting, slotsOf, toBits } from './posting.ts'

/** With a prefix, only the folded values that begin with it are counted. */
export type GroupRequest = { field: GroupField; prefix?: string | undefined }

/** `value` is null for the passports without one. `label` is the value as it was first written. */
export type ValueGroup = { field: GroupField; value: string | null; label: string | null; count: number }

/** The largest groups; `more` is the number of groups that are left out. */
export type ValueGroups = { groups: ValueGroup[]; more: number }

const MOST_GROUPS = 100

/** Counts the matches with each value. Larger groups come first, and groups of the same size in the order of their values. */
export function countGroups(
  index: PassportIndex,
  matches: Posting,
  { field, prefix }: GroupRequest,
): ValueGroups {
  const count = createCounter(index, matches)
  const groups: ValueGroup[] = []
  let all = 0
  for (const [text, posting] of index.values[field]) {
    if (prefix !== undefined && (text === NO_VALUE || !text.startsWith(prefix))) continue
    const size = count(posting)
    if (size === 0) continue
    all++
    const value = text === NO_VALUE ? null : text
    const label = value && (index.labels[field].get(value) ?? value)
    insertGroup(groups, { field, value, label, count: size })
  }
  return { groups, more: all - groups.length }
}

/** Returns a function that counts the matches in a posting. */
function createCounter(index: PassportIndex, matches: Posting): (posting: Posting) => number {
  const isAll = matches.count === countAlive(index) && index.removed.length === 0
  if (isAll) return ({ count }) => count
  const bits = toBits(matches, index.count)
  if (!matches.list) return (posting) => countIn(bits, posting)
  const slots = slotsOf(matches)
  // A few matches are found faster in the bits of a common value than the other way round.
  return (posting) =>
    posting.bits
      ? slots.reduce((count, slot) => count + Number(includes(posting, slot)), 0)
      : countIn(bits, posting)
}

/** Keeps only the largest groups, in order, because sorting many groups would take longer than counting them. */
function insertGroup(groups: ValueGroup[], added: ValueGroup): void {
  const last = groups[MOST_GROUPS - 1]
  if (last && isBefore(last, added)) return
  const place = countWhile(groups.length, (at) => isBefore(groups[at] as ValueGroup, added))
  groups.splice(place, 0, added)
  if (groups.length > MOST_GROUPS) groups.pop()
}

const isBefore = (one: ValueGroup, other: ValueGroup): boolean =>
  one.count > other.count || (one.count === other.count && String(one.value) < String(other.value))
