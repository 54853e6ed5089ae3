import { ServiceError } from '../../domain/errors.ts'
import type { ListRequest } from '../../domain/lists/list-request.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Reader, State } from './build-index.ts'
import { createCurrentIndex, type IndexOptions } from './current-index.ts'
import type { FacetPage } from './facet-index.ts'

/** A replica may be behind the snapshot. */
const CHECK_MILLISECONDS = 1000

/** `cursor`: the page includes all changes of the store up to this one. */
export type LivePage = FacetPage & { cursor: string }

type Options = IndexOptions & {
  /** Lists wait while an index of at most this many passports is built. For a larger one, they are rejected with `not_ready`. */
  mostAwaited?: number
}

/** A facet index that follows the store. It is built by the first call. */
export function createLiveIndex(store: Reader, options: Options = {}) {
  const { mostAwaited = Number.POSITIVE_INFINITY } = options
  const current = createCurrentIndex(store, options)
  let checked: { state: State | undefined; cursor: string | undefined; at: number } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let latest: Snapshot | undefined
  let isFollowing = false

  /** One at a time. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work)
    // The caller gets the error; the next work starts in any case.
    queue = result.catch(() => undefined)
    return result
  }

  function wasChecked(state: State, cursor: string | undefined): boolean {
    if (cursor === undefined || state !== checked?.state || cursor !== checked.cursor) return false
    return performance.now() < checked.at + CHECK_MILLISECONDS
  }

  /** Reads the changes of the store, or begins to build the index. */
  async function update(snapshot: Snapshot, cursor: string | undefined): Promise<void> {
    const state = current.find()
    if (state && !wasChecked(state, cursor)) {
      await current.update(state)
      checked = { state, cursor, at: performance.now() }
      // A new index that has replaced it meanwhile may lack the last changes.
      if (current.find() !== state) return update(snapshot, cursor)
    }
    if (!current.find()) void current.build(snapshot)
  }

  async function find(snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> {
    await update(snapshot, cursor)
    if (!current.find() && snapshot.ids.length > mostAwaited) throw notReady(current.percent())
    const { index, cursor: reached } = current.find() ?? (await current.build(snapshot))
    return { ...index.find(request), cursor: reached }
  }

  async function followLatest(): Promise<void> {
    isFollowing = true
    while (latest) {
      const snapshot = latest
      latest = undefined
      await enqueue(() => update(snapshot, snapshot.cursor)).catch(current.onFailure)
    }
    isFollowing = false
  }

  return {
    /**
     * Reads the changes of the store before the first page for each `cursor`, and without a cursor before each page. With the
     * same cursor, it reads them again after a second. Requests wait for each other. `snapshot` has the passports of the first
     * build.
     */
    find: (snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> =>
      enqueue(() => find(snapshot, request, cursor)),

    /** Builds the index, or reads the changes of the store, in the background. Of several snapshots, the last one counts. */
    follow(snapshot: Snapshot): void {
      latest = snapshot
      if (!isFollowing) void followLatest()
    },
  }
}

const notReady = (percent: number) =>
  new ServiceError('not_ready', `The index for filters is being built: ${percent} % done. Try again shortly.`)
