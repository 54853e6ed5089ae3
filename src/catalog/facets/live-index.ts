import { ServiceError } from '../../domain/errors.ts'
import type { ListRequest } from '../../domain/v3/list-request.ts'
import type { Store } from '../../store/store.ts'
import { buildSnapshot, type Snapshot } from '../snapshot.ts'
import { createFacetIndex, type FacetIndex, type FacetPage } from './facet-index.ts'

/** Passports that are read at once: SQLite blocks the thread for about 10 ms. */
const CHUNK = 500

/** During a build, changes are read after this many chunks: after more changes, the build would have to start again. */
const CHUNKS_BETWEEN_CHANGES = 20

/** A replica may be behind the snapshot. */
const CHECK_MILLISECONDS = 1000

/** All passports have the state of `cursor` or a later one. */
type State = { index: FacetIndex; cursor: string }

type Reader = Pick<Store, 'listing' | 'facets'>

/** `cursor`: the last change of the store that the page includes for sure. */
export type LivePage = FacetPage & { cursor: string }

/** A facet index that follows the store. It is built when it is first used. */
export function createLiveIndex(store: Reader) {
  let state: State | undefined
  let checked: { cursor: string | undefined; at: number } = { cursor: undefined, at: 0 }
  let isRebuilding = false
  let queue: Promise<unknown> = Promise.resolve()

  async function update(snapshot: Snapshot, cursor: string | undefined): Promise<State> {
    const isChecked = cursor !== undefined && cursor === checked.cursor
    if (state && isChecked && performance.now() < checked.at + CHECK_MILLISECONDS) return state
    if (!state || !(await readChanges(store, state))) state = await build(store, snapshot)
    checked = { cursor, at: performance.now() }
    if (state.index.isSparse() && !isRebuilding) void rebuild(snapshot)
    return state
  }

  /** Meanwhile, the old index is used. */
  async function rebuild(snapshot: Snapshot): Promise<void> {
    isRebuilding = true
    try {
      state = await build(store, snapshot)
    } catch {
      // The old index stays; a later request tries again.
    }
    isRebuilding = false
  }

  async function find(snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> {
    const { index, cursor: reached } = await update(snapshot, cursor)
    return { ...index.find(request), cursor: reached }
  }

  return {
    /**
     * Reads the changes of the store before the first page for each `cursor`, and without a cursor before each page. With the
     * same cursor, it reads them again after a second. Requests wait for each other. `snapshot` has the passports of the first
     * build.
     */
    find(snapshot: Snapshot, request: ListRequest, cursor?: string): Promise<LivePage> {
      const page = queue.then(() => find(snapshot, request, cursor))
      queue = page.catch(() => undefined)
      return page
    },
  }
}

const ATTEMPTS = 3

async function build(store: Reader, snapshot: Snapshot): Promise<State> {
  let base = snapshot
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const built = await tryBuild(store, base)
    if (built) return built
    base = await buildSnapshot(store.listing)
  }
  throw new ServiceError('unavailable', 'Too many passports change: the index for filters cannot be built.')
}

/** `undefined` if the changes since the snapshot are too many or unknown. */
async function tryBuild(store: Reader, { ids, cursor }: Snapshot): Promise<State | undefined> {
  const state = { index: createFacetIndex(), cursor }
  const sorted = ids.slice().sort()
  for (let at = 0, chunks = 1; at < sorted.length; at += CHUNK, chunks++) {
    await readPassports(store, state, Array.from(sorted.subarray(at, at + CHUNK)))
    if (chunks % CHUNKS_BETWEEN_CHANGES === 0 && !(await readChanges(store, state))) return undefined
  }
  return (await readChanges(store, state)) ? state : undefined
}

/** Returns false if the changes are too many or unknown. */
async function readChanges(store: Reader, state: State): Promise<boolean> {
  const changes = await store.listing.readChanges(state.cursor)
  if (!changes) return false
  const ids = [...new Set([...changes.unlisted, ...changes.listed.map(({ id }) => id)])]
  for (let at = 0; at < ids.length; at += CHUNK) await readPassports(store, state, ids.slice(at, at + CHUNK))
  state.cursor = changes.cursor
  return true
}

/** Passports that are not listed leave the index. */
async function readPassports({ facets }: Reader, { index }: State, ids: readonly number[]): Promise<void> {
  index.replace(ids, await facets.list(ids))
  // Keyword searches of the same thread take turns.
  await new Promise(setImmediate)
}
