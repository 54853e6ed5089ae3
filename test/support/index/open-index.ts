import { type LiveIndex, openLiveIndex } from '../../../src/core/index/postings/live.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** The index of a store, as it is now. */
export const openIndex = (store: Store): Promise<LiveIndex> => openLiveIndex(store, NO_COPY)

const NO_COPY = { async *read() {}, write: () => Promise.resolve() }
