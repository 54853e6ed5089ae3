import { ClientGone } from '../domain/errors.ts'
import type { Standing } from '../domain/standing.ts'
import type { Awaitable, Store } from '../store/store.ts'

/** A new object whenever anything that list pages show has changed. */
export type Snapshot = { version: number; total: number }

export type FindRequest = { page: number; size: number; keyword: string | undefined; signal?: AbortSignal }

export type Catalog = {
  current(): Awaitable<Snapshot>
  /** The ids of one page and the total. Throws `ClientGone` when `signal` aborted before the search began. */
  find(request: FindRequest): Awaitable<{ ids: readonly number[]; total: number }>
  standing(score: number): Awaitable<Standing>
}

/** A catalog that asks the store each time. */
export function createStoreCatalog({ passports }: Pick<Store, 'passports'>): Catalog {
  let edition: object | undefined
  let snapshot: Snapshot = { version: 0, total: 0 }
  return {
    async current() {
      const { total } = await passports.standing(0)
      const current = passports.edition()
      if (current === undefined || current !== edition) snapshot = { version: snapshot.version + 1, total }
      edition = current
      return snapshot
    },
    async find({ signal, ...request }) {
      if (signal?.aborted) throw new ClientGone()
      const { items, total } = await passports.list({ ...request, isGone: () => signal?.aborted === true })
      return { ids: items.map(({ id }) => id), total }
    },
    standing: passports.standing,
  }
}
