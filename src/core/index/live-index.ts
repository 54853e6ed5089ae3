import { createTurns } from '../basics/awaitable.ts'
import { ServiceError } from '../basics/errors.ts'
import type { ListRequest } from '../lists/list-request.ts'
import type { Store } from '../store/store.ts'
import { createFacetIndex, type FacetIndex, type FacetPage } from './facet-index.ts'
import { buildSnapshot, type Snapshot } from './snapshot.ts'

/** Passports per read. A read takes about 2 ms on SQLite. */
const CHUNK = 250

/** Chunks between two reads of changes during a build. Too many unread changes would make the build start again. */
const CHUNKS_BETWEEN_CHANGES = 40

const ATTEMPTS = 3

/** Changes are read again after this time, even for the same snapshot. */
const CHECK_MILLISECONDS = 1000

/** An index that still holds names and tags of removed passports is replaced at the first update after this time. */
const LONGEST_UNUSED_MILLISECONDS = 3_600_000

/** The page includes all changes of the store up to `cursor`. */
export type LivePage = FacetPage & { cursor: string }

type FacetStore = Pick<Store, 'listing'>

type Options = {
  /** Lists wait while an index of at most this many passports is built. For a larger one, they are rejected with `not_ready`. */
  mostAwaited?: number
  longestUnused?: number
  /** Aborting it ends a build. */
  signal?: AbortSignal
  /** Called if a build or an update in the background fails. The old index stays; the next snapshot or list tries again. */
  onFailure?: (error: unknown) => void
  /** Called after each update. */
  onSuccess?: () => void
}

/** The index has each passport as of `cursor` or later. */
type State = { index: FacetIndex; cursor: string; builtAt: number }

/** The passports to read. All changes after `cursor` are read as well. */
type Base = { ids: Float64Array; cursor: string }

type Live = {
  readonly store: FacetStore
  readonly options: Options
  /** The index in use. It is `undefined` after too many changes, until a new one is built. */
  state?: State | undefined
  building?: Promise<State> | undefined
  percent: number
  /** The index, the cursor and the time of the last read of changes. */
  checked?: { state: State; cursor: string | undefined; at: number }
}

/** A facet index that applies the changes of the store. The first call builds it. */
export function createLiveIndex(store: FacetStore, options: Options = {}) {
  const live: Live = { store, options, percent: 0 }
  const inTurn = createTurns()

  return {
    /**
     * Finds a page, one request at a time. Without a cursor, changes of the store are always read first. With the
     * same cursor as before, they are read at most once a second. The first build reads the passports in `snapshot`.
     */
    find: (snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> =>
      inTurn(() => find(live, snapshot, request, cursor)),

    /** Waits until there is an index. Builds one if none is being built. */
    async wait(snapshot: Snapshot): Promise<void> {
      if (!live.state) await build(live, snapshot)
    },

    /** Builds the index, or reads the changes of the store, in the background. */
    follow(snapshot: Snapshot): void {
      inTurn(() => update(live, snapshot, snapshot.cursor)).catch((error) => reportFailure(live, error))
    },
  }
}

async function find(
  live: Live,
  snapshot: Snapshot,
  request: ListRequest,
  cursor?: string,
): Promise<LivePage> {
  const { mostAwaited = Number.POSITIVE_INFINITY } = live.options
  await update(live, snapshot, cursor)
  if (!live.state && snapshot.ids.length > mostAwaited)
    throw new ServiceError(
      'not_ready',
      `The index for filters is being built: ${live.percent} % done. Try again shortly.`,
    )
  const state = live.state ?? (await build(live, snapshot))
  return { ...state.index.find(request), cursor: state.cursor }
}

/** Reads the changes of the store, or begins to build the index. */
async function update(live: Live, snapshot: Snapshot, cursor: string | undefined): Promise<void> {
  const { state } = live
  if (state && !wasChecked(live, state, cursor)) {
    const isComplete = await readChanges(live.store, state)
    live.checked = { state, cursor, at: performance.now() }
    live.options.onSuccess?.()
    // A new index has replaced this one meanwhile. The new index may lack the last changes.
    if (live.state !== state) return update(live, snapshot, cursor)
    if (isComplete) limitUnused(live, state)
    else live.state = undefined
  }
  if (!live.state) void build(live, snapshot)
}

function wasChecked({ checked }: Live, state: State, cursor: string | undefined): boolean {
  if (cursor === undefined || state !== checked?.state || cursor !== checked.cursor) return false
  return performance.now() < checked.at + CHECK_MILLISECONDS
}

function reportFailure({ options: { signal, onFailure } }: Live, error: unknown): void {
  if (!signal?.aborted) onFailure?.(error)
}

/** Builds an index in the background. An old index stays in use meanwhile. */
function build(live: Live, base: Base): Promise<State> {
  if (live.building) return live.building
  live.percent = 0
  live.building = buildState(live, base).finally(() => {
    live.building = undefined
  })
  live.building.catch((error) => reportFailure(live, error))
  return live.building
}

/** Builds a new index if too many passports were changed, or if the index is old and any passport was changed. */
function limitUnused(live: Live, { index, cursor, builtAt }: State): void {
  const { longestUnused = LONGEST_UNUSED_MILLISECONDS } = live.options
  const isOld = index.changed() > 0 && performance.now() >= builtAt + longestUnused
  if (isOld || index.isSparse()) void build(live, { ids: index.ids(), cursor })
}

async function buildState(live: Live, base: Base): Promise<State> {
  let from = base
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const state = await tryBuild(live, from)
    if (state) {
      live.state = state
      return state
    }
    from = await buildSnapshot(live.store.listing)
  }
  throw new ServiceError('unavailable', 'Too many passports change: the index for filters cannot be built.')
}

/** Returns `undefined` if the changes since the cursor are too many or unknown. */
async function tryBuild(live: Live, base: Base): Promise<State | undefined> {
  const { store, options } = live
  const state = { index: createFacetIndex(), cursor: base.cursor, builtAt: performance.now() }
  const ids = base.ids.slice().sort()
  for (let at = 0, chunks = 1; at < ids.length; at += CHUNK, chunks++) {
    options.signal?.throwIfAborted()
    await readPassports(store, state, Array.from(ids.subarray(at, at + CHUNK)))
    if (chunks % CHUNKS_BETWEEN_CHANGES === 0 && !(await readChanges(store, state))) return undefined
    live.percent = Math.floor((100 * at) / ids.length)
  }
  return (await readChanges(store, state)) ? state : undefined
}

/** Returns false if the changes are too many or unknown. */
async function readChanges(store: FacetStore, state: State): Promise<boolean> {
  const changes = await store.listing.readChanges(state.cursor)
  if (!changes) return false
  const ids = [...new Set([...changes.unlisted, ...changes.listed.map(({ id }) => id)])]
  for (let at = 0; at < ids.length; at += CHUNK) await readPassports(store, state, ids.slice(at, at + CHUNK))
  state.cursor = changes.cursor
  return true
}

/** Updates these passports in the index. Those that are no longer listed are removed from it. */
async function readPassports(
  { listing }: FacetStore,
  { index }: State,
  ids: readonly number[],
): Promise<void> {
  index.replace(ids, await listing.listFacets(ids))
  // Lets keyword searches of the same thread run.
  await new Promise(setImmediate)
}
