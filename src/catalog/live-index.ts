import { ServiceError } from '../domain/errors.ts'
import type { ListRequest } from '../domain/lists/list-request.ts'
import type { Store } from '../store/store.ts'
import { createFacetIndex, type FacetIndex, type FacetPage } from './facet-index.ts'
import { buildSnapshot, type Snapshot } from './snapshot.ts'

/** Passports per read: about 2 ms on SQLite, and at most 85 MB, with the largest records. */
const CHUNK = 100

/** Chunks of a build between two reads of changes: after too many changes, the build would have to start again. */
const CHUNKS_BETWEEN_CHANGES = 100

const ATTEMPTS = 3

/** A replica may be behind the snapshot. */
const CHECK_MILLISECONDS = 1000

/** Names and tags of removed passports stay in memory until a new index replaces the old one, at an update after this time. */
const LONGEST_UNUSED_MILLISECONDS = 3_600_000

/** `cursor`: the page includes all changes of the store up to this one. */
export type LivePage = FacetPage & { cursor: string }

type FacetStore = Pick<Store, 'listing' | 'facets'>

type Options = {
  /** Lists wait while an index of at most this many passports is built. For a larger one, they are rejected with `not_ready`. */
  mostAwaited?: number
  longestUnused?: number
  /** Ends a build. */
  signal?: AbortSignal
  /** Called if a build or an update in the background fails. The old index stays; the next snapshot or list tries again. */
  onFailure?: (error: unknown) => void
}

/** All passports have the state of `cursor` or a later one. */
type State = { index: FacetIndex; cursor: string; builtAt: number }

/** The passports to read, and a cursor that is not later than any of their states. */
type Base = { ids: Float64Array; cursor: string }

type Live = {
  readonly store: FacetStore
  readonly options: Options
  /** The index in use. A new one replaces it after too many changes, in the background if possible. */
  state?: State | undefined
  building?: Promise<State> | undefined
  percent: number
  /** The last index whose changes were read. */
  checked?: { state: State; cursor: string | undefined; at: number }
}

/** A facet index that follows the store. It is built by the first call. */
export function createLiveIndex(store: FacetStore, options: Options = {}) {
  const live: Live = { store, options, percent: 0 }
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    // The caller gets the error; the next work starts in any case.
    last = result.catch(() => undefined)
    return result
  }

  return {
    /**
     * Reads the changes of the store before a page: always without a cursor; with a cursor, at its first use and then at most
     * once a second. Requests wait for each other. `snapshot` has the passports of the first build.
     */
    find: (snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> =>
      inTurn(() => find(live, snapshot, request, cursor)),

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
    // A new index that has replaced it meanwhile may lack the last changes.
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

/** Meanwhile, the old index is used, if there is one. */
function build(live: Live, base: Base): Promise<State> {
  if (live.building) return live.building
  live.percent = 0
  live.building = buildState(live, base)
    .then((state) => {
      live.state = state
      return state
    })
    .finally(() => {
      live.building = undefined
    })
  live.building.catch((error) => reportFailure(live, error))
  return live.building
}

/** A new index replaces one with too many unused slots, and an old one with any. */
function limitUnused(live: Live, { index, cursor, builtAt }: State): void {
  const { longestUnused = LONGEST_UNUSED_MILLISECONDS } = live.options
  const isOld = index.unused() > 0 && performance.now() >= builtAt + longestUnused
  if (isOld || index.isSparse()) void build(live, { ids: index.ids(), cursor })
}

async function buildState(live: Live, base: Base): Promise<State> {
  let from = base
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const built = await tryBuild(live, from)
    if (built) return built
    from = await buildSnapshot(live.store.listing)
  }
  throw new ServiceError('unavailable', 'Too many passports change: the index for filters cannot be built.')
}

/** `undefined` if the changes since the cursor are too many or unknown. */
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

/** Passports that are not listed leave the index. */
async function readPassports(
  { facets }: FacetStore,
  { index }: State,
  ids: readonly number[],
): Promise<void> {
  index.replace(ids, await facets.list(ids))
  // Keyword searches of the same thread take turns.
  await new Promise(setImmediate)
}
