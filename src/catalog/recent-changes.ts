import type { PageRequest } from '../domain/page.ts'
import type { ChangedPassport, ListedPassport, ListingChanges } from '../store/store.ts'
import type { RankingPage } from './catalog.ts'
import type { Snapshot } from './snapshot.ts'

/** The changes since a snapshot, up to `cursor`. Immutable. */
export type RecentChanges = {
  cursor: string
  listed: ReadonlyMap<number, ChangedPassport>
  unlisted: ReadonlySet<number>
}

export const noChanges = ({ cursor }: Snapshot): RecentChanges => ({
  cursor,
  listed: new Map(),
  unlisted: new Set(),
})

/** Adds later changes. Returns the same object if there are none. */
export function addChanges(known: RecentChanges, { cursor, ...changes }: ListingChanges): RecentChanges {
  if (cursor === known.cursor) return known
  const listed = new Map(known.listed)
  const unlisted = new Set(known.unlisted)
  for (const id of changes.unlisted) {
    listed.delete(id)
    unlisted.add(id)
  }
  for (const passport of changes.listed) {
    listed.set(passport.id, passport)
    unlisted.delete(passport.id)
  }
  return { cursor, listed, unlisted }
}

/** Whether a passport is the same before and after later changes. */
export const isSame = (before: RecentChanges, after: RecentChanges, id: number): boolean =>
  before.listed.get(id)?.version === after.listed.get(id)?.version &&
  before.unlisted.has(id) === after.unlisted.has(id)

/** The page after the changes: `found` without the changed passports, and with those that are listed and match. */
export function applyChanges(
  found: RankingPage,
  changes: RecentChanges,
  { page, size, keyword = '' }: PageRequest & { keyword?: string | undefined },
): { ids: readonly number[]; total: number } {
  if (changes.listed.size === 0 && changes.unlisted.size === 0) return found
  const list = rankedList(found)
  const removed = findChanged(list, changes)
  const added = [...changes.listed.values()]
    .filter(({ name }) => name.includes(keyword))
    .sort((one, other) => other.score - one.score || one.id - other.id)
  const total = list.length - removed.length + added.length
  return { ids: mergePage(list, { removed, added, offset: (page - 1) * size, size }), total }
}

type RankedList = { length: number; idAt(at: number): number; scoreAt(at: number): number }

function rankedList({ snapshot: { ids, scores }, ranks }: RankingPage): RankedList {
  const rankOf = (at: number) => (ranks ? (ranks[at] as number) : at)
  return {
    length: ranks ? ranks.length : ids.length,
    idAt: (at) => ids[rankOf(at)] as number,
    scoreAt: (at) => scores[rankOf(at)] as number,
  }
}

/** Ids are first looked up by their last bits: a bit array is much faster than a set, and most ids are unchanged. */
const LAST_BITS = 0xffff

/** The positions of changed passports, ascending. */
function findChanged({ length, idAt }: RankedList, { listed, unlisted }: RecentChanges): number[] {
  const mayChange = new Uint8Array(LAST_BITS + 1)
  for (const id of listed.keys()) mayChange[id & LAST_BITS] = 1
  for (const id of unlisted) mayChange[id & LAST_BITS] = 1
  const positions: number[] = []
  for (let at = 0; at < length; at++) {
    const id = idAt(at)
    if (mayChange[id & LAST_BITS] === 1 && (listed.has(id) || unlisted.has(id))) positions.push(at)
  }
  return positions
}

type Merge = { removed: readonly number[]; added: readonly ListedPassport[]; offset: number; size: number }

/** One page of the list without the removed positions, merged with the added passports. */
function mergePage(list: RankedList, { removed, added, offset, size }: Merge): number[] {
  /** For each added passport: the number of kept ones before it. */
  const keptBefore = added.map((passport) => {
    const at = countWhile(list.length, (other) => isBefore(list, other, passport))
    return at - countWhile(removed.length, (index) => (removed[index] as number) < at)
  })
  let next = countWhile(added.length, (index) => (keptBefore[index] as number) + index < offset)
  let kept = offset - next
  let skipped = countWhile(removed.length, (index) => (removed[index] as number) - index <= kept)
  const ids: number[] = []
  while (ids.length < size) {
    const hasKept = kept + removed.length < list.length
    if (next < added.length && (!hasKept || (keptBefore[next] as number) <= kept)) {
      ids.push((added[next++] as ListedPassport).id)
    } else if (hasKept) {
      ids.push(list.idAt(kept + skipped))
      kept++
      while (skipped < removed.length && (removed[skipped] as number) <= kept + skipped) skipped++
    } else break
  }
  return ids
}

function isBefore(list: RankedList, at: number, { score, id }: ListedPassport): boolean {
  const other = list.scoreAt(at)
  return other > score || (other === score && list.idAt(at) < id)
}

/** Binary search: the number of leading indexes for which the condition holds. */
function countWhile(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}
