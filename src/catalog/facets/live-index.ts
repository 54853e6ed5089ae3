import { ServiceError } from '../../domain/errors.ts'
import type { ListRequest } from '../../domain/v3/list-request.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Base, buildState, type Reader, readChanges, type State } from './build-index.ts'
import type { FacetPage } from './facet-index.ts'

/** A replica may be behind the snapshot. */
const CHECK_MILLISECONDS = 1000

/** Names and tags of removed passports stay in memory until a new index replaces the old one. */
const LONGEST_UNUSED_MILLISECONDS = 3_600_000

/** `cursor`: the last change of the store that the page includes for sure. */
export type LivePage = FacetPage & { cursor: string }

type Options = {
  /** While an index of more passports is built for the first time, lists are rejected with `not_ready`. Others wait for it. */
  mostAwaited?: number
  longestUnused?: number
  /** Ends a build. */
  signal?: AbortSignal
  /** Called during a build without which there is no index. */
  onProgress?: (read: number, total: number) => void
  /** Called if a build or an update in the background fails. The old index stays; the next snapshot or list tries again. */
  onFailure?: (error: unknown) => void
}

/** A facet index that follows the store. It is built when it is first used. */
export function createLiveIndex(store: Reader, options: Options = {}) {
  const { mostAwaited = Number.POSITIVE_INFINITY, longestUnused = LONGEST_UNUSED_MILLISECONDS } = options
  let state: State | undefined
  let building: Promise<State> | undefined
  let percent = 0
  let checked: { cursor: string | undefined; at: number } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let latest: Snapshot | undefined
  let isFollowing = false
  let timer: Timer | undefined

  /** One at a time. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work)
    queue = result.catch(() => undefined)
    return result
  }

  function onFailure(error: unknown): void {
    if (!options.signal?.aborted) options.onFailure?.(error)
  }

  function onProgress(read: number, total: number): void {
    percent = Math.floor((100 * read) / total)
    if (!state) options.onProgress?.(read, total)
  }

  /** Meanwhile, the old index is used, if there is one. */
  function build(base: Base): Promise<State> {
    if (building) return building
    percent = 0
    building = buildState(store, base, { signal: options.signal, onProgress })
      .then((built) => {
        state = built
        checked = undefined
        clearTimeout(timer)
        timer = undefined
        limitUnused(built)
        return built
      })
      .finally(() => {
        building = undefined
      })
    building.catch(onFailure)
    return building
  }

  /** A new index replaces one with too many unused slots, or with unused slots for too long. */
  function limitUnused(current: State): void {
    const replace = () => void build({ ids: current.index.ids(), cursor: current.cursor })
    if (current.index.isSparse()) replace()
    else if (current.index.unused() > 0) timer ??= setTimeout(replace, longestUnused).unref()
  }

  const wasChecked = (cursor: string | undefined) =>
    cursor !== undefined && cursor === checked?.cursor && performance.now() < checked.at + CHECK_MILLISECONDS

  /** Reads the changes of the store, or begins to build the index. */
  async function update(snapshot: Snapshot, cursor: string | undefined): Promise<void> {
    const before = state
    if (before && !wasChecked(cursor)) {
      const isComplete = await readChanges(store, before)
      // Meanwhile, a new index may have replaced it.
      if (before === state) {
        state = isComplete ? before : undefined
        checked = { cursor, at: performance.now() }
        if (isComplete) limitUnused(before)
      }
    }
    if (!state) void build(snapshot)
  }

  async function find(snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> {
    await update(snapshot, cursor)
    if (!state && snapshot.ids.length > mostAwaited) throw notReady(percent)
    const { index, cursor: reached } = state ?? (await build(snapshot))
    return { ...index.find(request), cursor: reached }
  }

  async function followLatest(): Promise<void> {
    isFollowing = true
    while (latest) {
      const snapshot = latest
      latest = undefined
      await enqueue(() => update(snapshot, snapshot.cursor)).catch(onFailure)
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
