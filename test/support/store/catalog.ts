import { type Catalog, createCatalog } from '../../../src/core/index/catalog.ts'
import { type FindRequest, findPage } from '../../../src/core/index/find-list.ts'
import { buildSnapshot, type Snapshot } from '../../../src/core/index/snapshot.ts'
import type { ListedPassport, Store } from '../../../src/core/store/store.ts'

export { createCatalog, createSharedCatalog } from '../../../src/core/index/catalog.ts'
export { buildSnapshot, updateSnapshot } from '../../../src/core/index/snapshot.ts'

const catalogs = new WeakMap<Store, Catalog>()

/** One catalog per store. As in a server, every call after the first reads only changes. */
export function catalogOf(store: Store): Catalog {
  const catalog = catalogs.get(store) ?? createCatalog(store)
  catalogs.set(store, catalog)
  return catalog
}

/** The first page of 250 passports, unless `request` names another page. */
export const listAll = (store: Store, request: Partial<FindRequest> = {}) =>
  findPage(
    { catalog: catalogOf(store), store },
    { page: 1, size: 250, keyword: undefined, ...request },
    store.passports.listByIds,
  )

export function snapshotOf(passports: readonly ListedPassport[]): Promise<Snapshot> {
  const ranked = passports.toSorted((one, other) => other.score - one.score || one.id - other.id)
  return buildSnapshot({
    async readAll(add) {
      for (const passport of ranked) add(passport)
      return ''
    },
  })
}
