import type { Store } from '../../../src/core/store/store.ts'
import { copyStore } from '../../../src/features/copy/copy.ts'
import type { CopyableTable } from '../../../src/features/copy/statements.ts'
import { COPY } from '../features/copy.ts'
import { scoreNow } from './scoring.ts'

export async function score(store: Store): Promise<void> {
  await scoreNow(store)
}

/** Makes the contents of a store equal to those of another one. */
export const copyPassports = (from: Store, to: Store) =>
  copyStore({ from, to, signal: new AbortController().signal, onProgress: () => undefined })

/** A table as a copy reads and writes it. */
export const tableOf = async (store: Store, wanted: string) =>
  (await store.data(COPY).listTables()).find(({ name }) => name === wanted) as CopyableTable
