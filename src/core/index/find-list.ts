import { ClientGone } from '../basics/errors.ts'
import { type ListRequest, type PageRequest, type Position, wordsOf } from '../lists/list-request.ts'
import type { Awaitable, ListedPassport, ListingChanges, Store } from '../store/store.ts'
import type { Catalog } from './catalog.ts'
import type { FacetPage } from './facet-index.ts'
import type { Matches } from './search.ts'
import { countWhile, cutPage, type Snapshot, type SortedList } from './snapshot.ts'

/** Passports per read. They take at most 1.6 MB. */
export const CHUNK = 50

/** A page is read again if one of its passports changes meanwhile. A second attempt almost always succeeds. */
const ATTEMPTS = 5

/** If too many passports have changed since a snapshot, a request tries newer ones: this many snapshots in total. */
const SNAPSHOTS = 3

const known = new WeakMap<Snapshot, RecentChanges>()

export type Reader = { catalog: Catalog; store: Pick<Store, 'listing'> }

/** Reads the passports with these ids, in their order. */
type ReadItems<T> = (ids: readonly number[]) => Awaitable<T[]>

/** With `isLatest`, a filtered list includes all changes before the call. Other lists do, unless very many passports change. */
type Options = { signal?: AbortSignal | undefined; isLatest?: boolean }

/** `keyword` is folded. */
export type FindRequest = PageRequest & Options & { keyword: string | undefined }

/** Finds a page of the ranking by its number. All its passports are from one state of the database. */
export const findPage = <T>(
  reader: Reader,
  { page, size, keyword, signal }: FindRequest,
  read: ReadItems<T>,
) => findInRanking(reader, { ...RANKING, keyword, signal, limit: size, offset: (page - 1) * size }, read)

const RANKING = { filter: [], sort: { field: 'score', descending: true } } as const

type FoundList<T> = FacetPage & { items: T[] }

/** Finds a page of a list. All its passports are from one state of the database, unless they change in each attempt. */
export async function findList<T>(
  reader: Reader,
  request: ListRequest & Options,
  read: ReadItems<T>,
): Promise<FoundList<T>> {
  if (isRanking(request)) return findInRanking(reader, request, read)
  for (let attempt = 1; ; attempt++) {
    const found = await reader.catalog.list(request, request.isLatest === true || attempt > 1)
    const items = await read(found.ids)
    const changes = await reader.store.listing.readRecent(found.cursor)
    if ((changes && !includesAny(changes, found.ids)) || attempt === ATTEMPTS) return { ...found, items }
  }
}

/** Whether the list needs only the snapshot, not the facet index. */
export const isRanking = ({ filter, groupBy, sort, facets, ranksOf }: ListRequest): boolean =>
  filter.length === 0 &&
  !groupBy &&
  !facets &&
  !ranksOf &&
  sort.field === 'score' &&
  sort.pointsFor === undefined

/** Applies the changes since the snapshot to its ranking, because `readItems` reads newer passports. */
async function findInRanking<T>(
  { catalog, store: { listing } }: Reader,
  request: ListRequest & Options,
  readItems: ReadItems<T>,
) {
  const { keyword, signal } = request
  const readChunk = (ids: readonly number[]) => {
    if (signal?.aborted) throw new ClientGone()
    return readItems(ids)
  }
  const read = async (ids: readonly number[]) => (await mapChunks(ids, readChunk)).flat(1) as T[]
  for (let snapshots = 1; ; snapshots++) {
    const matches = await catalog.find({ keyword, signal })
    const { snapshot } = matches
    const cut = (changes: RecentChanges) => {
      const ranking = listRanking(matches, changes, keyword)
      return { ...cutPage(ranking, request), total: ranking.length }
    }
    let changes = known.get(snapshot) ?? noChanges(snapshot)
    // Without `later`, the changes are too many or unknown.
    let later = await listing.readRecent(changes.cursor)
    for (let attempt = 0; later && attempt < ATTEMPTS; attempt++) {
      changes = addChanges(changes, later)
      known.set(snapshot, changes)
      const page = cut(changes)
      const items = await read(page.ids)
      later = await listing.readRecent(changes.cursor)
      if (later && !includesAny(later, page.ids)) return { ...page, items }
    }
    // The last resort: a page of the snapshot, without the passports that are no longer listed.
    if (snapshots === SNAPSHOTS) {
      const page = cut(noChanges(snapshot))
      return { ...page, items: await read(page.ids) }
    }
    await catalog.next(snapshot)
  }
}

function includesAny({ listed, unlisted }: ListingChanges, ids: readonly number[]): boolean {
  const wanted = new Set(ids)
  return listed.some(({ id }) => wanted.has(id)) || unlisted.some((id) => wanted.has(id))
}

/** Calls `work` for each chunk of a list. The event loop runs between two chunks. */
export async function mapChunks<T, R>(
  list: readonly T[],
  work: (chunk: readonly T[], at: number) => Awaitable<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at === 0 || at < list.length; at += CHUNK) {
    if (at > 0) await new Promise(setImmediate)
    results.push(await work(list.length > CHUNK ? list.slice(at, at + CHUNK) : list, at))
  }
  return results
}

/** The changes since a snapshot, up to `cursor`. Immutable. */
type RecentChanges = {
  cursor: string
  listed: ReadonlyMap<number, ListedPassport>
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

/** The matches after the changes: the unchanged ones of the snapshot, and the changed passports that match. */
export function listRanking(found: Matches, changes: RecentChanges, keyword = ''): SortedList {
  const list = listSnapshot(found)
  if (changes.listed.size === 0 && changes.unlisted.size === 0) return list
  const removed = findChanged(list, changes)
  const words = wordsOf(keyword)
  const added = [...changes.listed.values()]
    .filter(({ name }) => words.every((word) => name.includes(word)))
    .sort((one, other) => other.score - one.score || one.id - other.id)
  /** For each added passport: how many unchanged passports are before it. */
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

/** `idAt` allocates nothing, because it is called for all passports. */
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

/** Most ids are unchanged: looking up their last bits in an array excludes them much faster than looking in a set. */
const LAST_BITS = 0xffff

/** The positions of changed passports, ascending. */
function findChanged({ length, idAt }: RankedList, { listed, unlisted }: RecentChanges): number[] {
  const mayChange = new Uint8Array(LAST_BITS + 1)
  for (const id of [...listed.keys(), ...unlisted]) mayChange[id & LAST_BITS] = 1
  const positions: number[] = []
  for (let index = 0; index < length; index++) {
    const id = idAt(index)
    if (mayChange[id & LAST_BITS] === 1 && (listed.has(id) || unlisted.has(id))) positions.push(index)
  }
  return positions
}

const isBefore = (one: Position, { score, id }: ListedPassport) =>
  one.value > score || (one.value === score && one.id < id)
