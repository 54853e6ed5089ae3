import { type Base, buildState, type Reader, readChanges, type State } from './build-index.ts'

/** Names and tags of removed passports stay in memory until a new index replaces the old one. */
const LONGEST_UNUSED_MILLISECONDS = 3_600_000

export type IndexOptions = {
  longestUnused?: number
  /** Ends a build. */
  signal?: AbortSignal
  /** Called during a build while there is no older index. */
  onProgress?: (read: number, total: number) => void
  /** Called if a build or an update in the background fails. The old index stays; the next snapshot or list tries again. */
  onFailure?: (error: unknown) => void
}

/** The index in use. A new one replaces it after too many changes, in the background if possible. */
export function createCurrentIndex(store: Reader, options: IndexOptions) {
  const { signal, longestUnused = LONGEST_UNUSED_MILLISECONDS } = options
  let state: State | undefined
  let building: Promise<State> | undefined
  let percent = 0
  let timer: Timer | undefined

  function onProgress(read: number, total: number): void {
    percent = Math.floor((100 * read) / total)
    if (!state) options.onProgress?.(read, total)
  }

  function onFailure(error: unknown): void {
    if (!signal?.aborted) options.onFailure?.(error)
  }

  /** Meanwhile, the old index is used, if there is one. */
  function build(base: Base): Promise<State> {
    if (building) return building
    percent = 0
    building = buildState(store, base, { signal, onProgress })
      .then(use)
      .finally(() => {
        building = undefined
      })
    building.catch(onFailure)
    return building
  }

  function use(built: State): State {
    clearTimeout(timer)
    timer = undefined
    state = built
    limitUnused(built)
    return built
  }

  /** A new index replaces one with too many unused slots, or with unused slots for too long. */
  function limitUnused(current: State): void {
    const replace = () => void build({ ids: current.index.ids(), cursor: current.cursor })
    if (current.index.isSparse()) replace()
    else if (current.index.unused() > 0) timer ??= setTimeout(replace, longestUnused).unref()
  }

  return {
    find: () => state,
    percent: () => percent,
    build,
    onFailure,
    /** Reads the changes of the store. If they are too many or unknown, there is no index any more. */
    async update(current: State): Promise<void> {
      const isComplete = await readChanges(store, current)
      // Meanwhile, a new index may have replaced it.
      if (current !== state) return
      if (isComplete) limitUnused(current)
      else state = undefined
    },
  }
}
