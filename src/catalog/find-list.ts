import { ClientGone } from '../domain/errors.ts'
import type { ListRequest, PageRequest } from '../domain/lists/list-request.ts'
import type { Awaitable, ListingChanges, Store } from '../store/store.ts'
import type { Catalog } from './catalog.ts'
import type { FacetPage } from './facet-index.ts'
import { addChanges, isSame, listRanking, noChanges, type RecentChanges } from './recent-changes.ts'
import type { Snapshot } from './snapshot.ts'
import { cutPage } from './sorted-list.ts'

/** Passports that are read at once: 1.6 MB at most. */
export const CHUNK = 50

/** Passports of a page that change while it is read are rare: a second attempt almost always succeeds. */
const RANKING_ATTEMPTS = 10
const FILTER_ATTEMPTS = 5

/** How often a request waits for a newer snapshot, when too many passports have changed since the current one. */
const SNAPSHOTS = 3

const known = new WeakMap<Snapshot, RecentChanges>()

export type Reader = { catalog: Catalog; store: Pick<Store, 'listing'> }

/** Reads the passports with these ids, in their order. */
type ReadItems<T> = (ids: readonly number[]) => Awaitable<T[]>

type Signal = { signal?: AbortSignal | undefined }

/** `keyword` is folded. */
export type FindRequest = PageRequest & Signal & { keyword: string | undefined }

/** A page with a number, of the ranking: all its passports are of one state of the database. */
export const findPage = <T>(
  reader: Reader,
  { page, size, keyword, signal }: FindRequest,
  read: ReadItems<T>,
) => findInRanking(reader, { ...RANKING, keyword, signal, limit: size, offset: (page - 1) * size }, read)

const RANKING = { filter: [], sort: { field: 'score', descending: true } } as const

export type FoundList<T> = Omit<FacetPage, 'ids'> & { items: T[] }

/** A page of a list, whose passports are of one state of the database. */
export async function findList<T>(
  reader: Reader,
  request: ListRequest & Signal,
  read: ReadItems<T>,
): Promise<FoundList<T>> {
  if (isRanking(request)) return findInRanking(reader, request, read)
  for (let attempt = 1; ; attempt++) {
    const found = await reader.catalog.list(request, attempt > 1)
    const items = await read(found.ids)
    const changes = await reader.store.listing.readRecent(found.cursor)
    if ((changes && !includesAny(changes, found.ids)) || attempt === FILTER_ATTEMPTS)
      return { ...found, items }
  }
}

/** Whether the snapshot, which is always in memory, has the list. */
export const isRanking = ({ filter, groupBy, sort, facets, ranksOf }: ListRequest): boolean =>
  filter.length === 0 && !groupBy && !facets && !ranksOf && sort.field === 'score'

/** The snapshot is older than the passports: the changes since it are applied. */
async function findInRanking<T>(
  { catalog, store: { listing } }: Reader,
  request: ListRequest & Signal,
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
    let changes = await readChanges(listing, known.get(snapshot) ?? noChanges(snapshot))
    for (let attempt = 0; changes && attempt < RANKING_ATTEMPTS; attempt++) {
      const before: RecentChanges = changes
      known.set(snapshot, before)
      const page = cut(before)
      const items = await read(page.ids)
      const after = await readChanges(listing, before)
      if (after && page.ids.every((id) => isSame(before, after, id))) return { ...page, items }
      changes = after
    }
    // Passports that vanished are left out.
    if (snapshots === SNAPSHOTS) {
      const page = cut(noChanges(snapshot))
      return { ...page, items: await read(page.ids) }
    }
    await catalog.next(snapshot)
  }
}

/** `undefined` if there are too many changes, or unknown ones. */
async function readChanges(
  listing: Store['listing'],
  since: RecentChanges,
): Promise<RecentChanges | undefined> {
  const later = await listing.readRecent(since.cursor)
  return later && addChanges(since, later)
}

function includesAny({ listed, unlisted }: ListingChanges, ids: readonly number[]): boolean {
  const wanted = new Set(ids)
  return listed.some(({ id }) => wanted.has(id)) || unlisted.some((id) => wanted.has(id))
}

/** Calls `work` for each chunk of a list, with a turn of the event loop between them. */
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
