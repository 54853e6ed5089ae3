import { ClientGone } from '../basics/errors.ts'
import { createClient, type IndexClient } from '../index/calls.ts'
import { isOutdated, type LiveIndex, openLiveIndex, updateIndex } from '../index/live.ts'
import { SAVED_INDEX } from '../store/sql/saved-index.ts'
import type { Store } from '../store/store.ts'

/** An index in this thread, which is opened at the first call. Each call reads the changes of the store first. */
export function createLocalIndex(
  store: Pick<Store, 'listing' | 'events' | 'data'>,
  options: { signal?: AbortSignal } = {},
): IndexClient {
  const copy = { read: store.data(SAVED_INDEX).read, write: () => Promise.resolve(false) }
  let opened: Promise<LiveIndex> | undefined
  let [version, cursor] = [0, '']

  async function readLatest(): Promise<LiveIndex> {
    opened ??= openLiveIndex(store, copy, options)
    const opening = opened
    // The next call opens the index again if this one fails.
    opening.catch(() => {
      if (opened === opening) opened = undefined
    })
    const live = await opening
    await updateIndex(live)
    if (!isOutdated(live)) return live
    if (opened === opening) opened = undefined
    return readLatest()
  }

  return {
    ...createClient(async ({ answer }, argument, signal) => {
      if (signal?.aborted) throw new ClientGone()
      return answer(await readLatest(), argument as never)
    }),
    async version() {
      const live = await readLatest()
      if (live.cursor !== cursor) version++
      cursor = live.cursor
      return version
    },
  }
}
