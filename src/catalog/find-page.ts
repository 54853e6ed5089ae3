import { ClientGone } from '../domain/errors.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Catalog, FindRequest, RankingPage } from './catalog.ts'
import { mapChunks } from './chunks.ts'
import { addChanges, applyChanges, isSame, noChanges, type RecentChanges } from './recent-changes.ts'
import type { Snapshot } from './snapshot.ts'

/** Passports of a page that change while it is read are rare: a second attempt almost always succeeds. */
const ATTEMPTS = 10

/** How often a request waits for a newer snapshot, when too many passports have changed since the current one. */
const SNAPSHOTS = 3

const known = new WeakMap<Snapshot, RecentChanges>()

export type Reader = { catalog: Catalog; store: Pick<Store, 'listing'> }

type Page = { ids: readonly number[]; total: number }

/** A page of the ranking and its passports, which `list` reads in chunks: all of one state of the database. */
export const findPage = <T>(
  reader: Reader,
  request: FindRequest,
  list: (ids: readonly number[]) => Awaitable<T[]>,
): Promise<Page & { items: T[] }> =>
  findConsistent(reader, request, list, (found, changes) => applyChanges(found, changes, request))

/** The snapshot is older than the passports, so `cut` applies the changes since the snapshot to the page that was found. */
export async function findConsistent<T, P extends Page>(
  { catalog, store: { listing } }: Reader,
  request: FindRequest,
  list: (ids: readonly number[]) => Awaitable<T[]>,
  cut: (found: RankingPage, changes: RecentChanges) => P,
): Promise<P & { items: T[] }> {
  const readChunk = (ids: readonly number[]) => {
    if (request.signal?.aborted) throw new ClientGone()
    return list(ids)
  }
  const read = async (ids: readonly number[]) => (await mapChunks(ids, readChunk)).flat(1) as T[]
  for (let snapshots = 1; ; snapshots++) {
    const found = await catalog.find(request)
    let changes = await readChanges(listing, known.get(found.snapshot) ?? noChanges(found.snapshot))
    for (let attempt = 0; changes && attempt < ATTEMPTS; attempt++) {
      const before: RecentChanges = changes
      known.set(found.snapshot, before)
      const page = cut(found, before)
      const items = await read(page.ids)
      const after = await readChanges(listing, before)
      if (after && page.ids.every((id) => isSame(before, after, id))) return { ...page, items }
      changes = after
    }
    // Passports that vanished are left out.
    if (snapshots === SNAPSHOTS) {
      const page = cut(found, noChanges(found.snapshot))
      return { ...page, items: await read(page.ids) }
    }
    await catalog.next(found.snapshot)
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
