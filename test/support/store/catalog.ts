import { type Catalog, createCatalog, type FindRequest } from '../../../src/catalog/catalog.ts'
import { buildSnapshot, type Snapshot } from '../../../src/catalog/snapshot.ts'
import type { ListedPassport, Store } from '../../../src/store/store.ts'

const catalogs = new WeakMap<Store, Catalog>()

/** One catalog per store: after the first call it reads only changes, as in a server. */
export function catalogOf(store: Store): Catalog {
  const catalog = catalogs.get(store) ?? createCatalog(store)
  catalogs.set(store, catalog)
  return catalog
}

export async function listAll(store: Store, request: FindRequest) {
  const { ids, total } = await catalogOf(store).find(request)
  return { items: await store.passports.listByIds(ids), total }
}

export function snapshotOf(passports: readonly ListedPassport[]): Promise<Snapshot> {
  const ranked = passports.toSorted((one, other) => other.score - one.score || one.id - other.id)
  return buildSnapshot({
    readAll(add) {
      for (const passport of ranked) add(passport)
      return ''
    },
    readChanges: () => undefined,
    readRecent: () => undefined,
  })
}
