import type { Awaitable, Store } from '../store/store.ts'
import type { Catalog, FindRequest } from './catalog.ts'
import { mapChunks } from './chunks.ts'
import { addChanges, applyChanges, isSame, noChanges, type RecentChanges } from './recent-changes.ts'
import type { Snapshot } from './snapshot.ts'

/** Passports of a page that change while it is read are rare: a second attempt almost always succeeds. */
const ATTEMPTS = 10

/** How often a request waits for a newer snapshot, when too many passports have changed since the current one. */
const SNAPSHOTS = 3

const known = new WeakMap<Snapshot, RecentChanges>()

type Reader = { catalog: Catalog; store: Pick<Store, 'listing'> }

/**
 * A page of the ranking and its passports, which `list` reads in chunks: all of one state of the database. The snapshot is
 * older than the passports, so the changes since the snapshot are applied to it.
 */
export async function findPage<T>(
  { catalog, store: { listing } }: Reader,
  request: FindRequest,
  list: (ids: readonly number[]) => Awaitable<T[]>,
): Promise<{ items: T[]; total: number }> {
  const read = async (ids: readonly number[]) => (await mapChunks(ids, list)).flat(1) as T[]
  for (let snapshots = 1; ; snapshots++) {
    const found = await catalog.find(request)
    let changes = await readChanges(listing, known.get(found.snapshot) ?? noChanges(found.snapshot))
    for (let attempt = 0; changes && attempt < ATTEMPTS; attempt++) {
      const before: RecentChanges = changes
      known.set(found.snapshot, before)
      const { ids, total } = applyChanges(found, before, request)
      const items = await read(ids)
      const after = await readChanges(listing, before)
      if (after && ids.every((id) => isSame(before, after, id))) return { items, total }
      changes = after
    }
    // Passports that vanished are left out.
    if (snapshots === SNAPSHOTS) return { items: await read(found.ids), total: found.total }
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
