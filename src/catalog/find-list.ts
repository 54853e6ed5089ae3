import type { ListRequest } from '../domain/lists/list-request.ts'
import type { Awaitable, ListingChanges } from '../store/store.ts'
import type { FacetPage } from './facet-index.ts'
import { findConsistent, type Reader } from './find-page.ts'
import { listRanking } from './recent-changes.ts'
import { cutPage } from './sorted-list.ts'

export type FoundList<T> = Omit<FacetPage, 'ids'> & { items: T[] }

/** Passports of a page that change while it is read are rare. */
const ATTEMPTS = 5

/** A page of a v3 list and its passports, which `list` reads in the order of the ids. */
export async function findList<T>(
  reader: Reader,
  request: ListRequest & { signal?: AbortSignal },
  list: (ids: readonly number[]) => Awaitable<T[]>,
): Promise<FoundList<T>> {
  if (isRanking(request)) return findInRanking(reader, request, list)
  for (let attempt = 1; ; attempt++) {
    const found = await reader.catalog.list(request, attempt > 1)
    const items = await list(found.ids)
    const changes = await reader.store.listing.readRecent(found.cursor)
    if ((changes && !includesAny(changes, found.ids)) || attempt === ATTEMPTS) return { ...found, items }
  }
}

/** Whether the snapshot, which is always in memory, has the list. */
export const isRanking = ({ filter, groupBy, sort, facets, ranksOf }: ListRequest): boolean =>
  filter.length === 0 && !groupBy && !facets && !ranksOf && sort.field === 'score'

function findInRanking<T>(
  reader: Reader,
  request: ListRequest & { signal?: AbortSignal },
  list: (ids: readonly number[]) => Awaitable<T[]>,
): Promise<FoundList<T>> {
  const { keyword, signal } = request
  return findConsistent(reader, { page: 1, size: 0, keyword, signal }, list, (found, changes) => {
    const ranking = listRanking(found, changes, keyword)
    return { ...cutPage(ranking, request), total: ranking.length }
  })
}

function includesAny({ listed, unlisted }: ListingChanges, ids: readonly number[]): boolean {
  const wanted = new Set(ids)
  return listed.some(({ id }) => wanted.has(id)) || unlisted.some((id) => wanted.has(id))
}
