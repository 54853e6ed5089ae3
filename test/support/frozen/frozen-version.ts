import type { PassportRef } from '../../../src/core/passport/passport.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** What tests of other parts know about a frozen version of the API. */
export type FrozenVersion = {
  /** The bodies of all responses about a passport, by name. */
  readBodies(store: Store, ref: PassportRef): Promise<Record<string, string | undefined>>
  /** The paths of all responses about a passport. */
  paths(key: string | number): string[]
  /** Statements, and the index that PostgreSQL must use. */
  indexedReads: readonly IndexedRead[]
}

/** `cursor` is after most changes. No statement may scan a table of passports. */
export type IndexedRead = readonly [
  title: string,
  work: (store: Store, cursor: string) => unknown,
  index: string,
]
