import { type Position, wordsOf } from '../domain/lists/list-request.ts'
import type { ChangedPassport, ListedPassport, ListingChanges } from '../store/store.ts'
import type { Matches } from './search.ts'
import type { Snapshot } from './snapshot.ts'
import { countWhile, type SortedList } from './sorted-list.ts'

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

const isEmpty = ({ listed, unlisted }: RecentChanges) => listed.size === 0 && unlisted.size === 0

/** All matches after the changes: those of the snapshot without the changed passports, and the changed ones that match. */
export function listRanking(found: Matches, changes: RecentChanges, keyword = ''): SortedList {
  const list = listSnapshot(found)
  if (isEmpty(changes)) return list
  const removed = findChanged(list, changes)
  const words = wordsOf(keyword)
  const added = [...changes.listed.values()]
    .filter(({ name }) => words.every((word) => name.includes(word)))
    .sort((one, other) => other.score - one.score || one.id - other.id)
  /** For each added passport: the number of kept ones before it. */
  const keptBefore = added.map((passport) => {
    const at = countWhile(list.length, (index) => isBefore(list.at(index), passport))
    return at - countWhile(removed.length, (index) => (removed[index] as number) < at)
  })
  return {
    length: list.length - removed.length + added.length,
    at(index) {
      const next = countWhile(added.length, (at) => (keptBefore[at] as number) + at < index)
      const passport = added[next]
      if (passport && (keptBefore[next] as number) + next === index)
        return { value: passport.score, id: passport.id }
      const kept = index - next
      return list.at(kept + countWhile(removed.length, (at) => (removed[at] as number) - at <= kept))
    },
  }
}

/** `idAt` allocates nothing: it is called for all passports. */
type RankedList = SortedList & { idAt(index: number): number }

function listSnapshot({ snapshot: { ids, scores }, ranks }: Matches): RankedList {
  const rankOf = (index: number) => (ranks ? (ranks[index] as number) : index)
  const idAt = (index: number) => ids[rankOf(index)] as number
  return {
    length: ranks ? ranks.length : ids.length,
    at: (index) => ({ value: scores[rankOf(index)] as number, id: idAt(index) }),
    idAt,
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
  for (let index = 0; index < length; index++) {
    const id = idAt(index)
    if (mayChange[id & LAST_BITS] === 1 && (listed.has(id) || unlisted.has(id))) positions.push(index)
  }
  return positions
}

const isBefore = (one: Position, { score, id }: ListedPassport) =>
  one.value > score || (one.value === score && one.id < id)
