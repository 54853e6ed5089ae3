import { ServiceError } from '../../domain/errors.ts'
import type { Store } from '../../store/store.ts'
import { buildSnapshot } from '../snapshot.ts'
import { createFacetIndex, type FacetIndex } from './facet-index.ts'

/** Passports per read: about 2 ms on SQLite, and at most 85 MB, with the largest records. */
const CHUNK = 100

/** Chunks of a build between two reads of changes: after too many changes, the build would have to start again. */
const CHUNKS_BETWEEN_CHANGES = 100

const ATTEMPTS = 3

/** All passports have the state of `cursor` or a later one. */
export type State = { index: FacetIndex; cursor: string }

export type Reader = Pick<Store, 'listing' | 'facets'>

/** The passports to read, and a cursor that is not later than any of their states. */
export type Base = { ids: Float64Array; cursor: string }

type Options = {
  signal?: AbortSignal | undefined
  /** Called after each chunk, and with equal numbers at the end. */
  onProgress?: ((read: number, total: number) => void) | undefined
}

/** Builds an index from the store. */
export async function buildState(store: Reader, base: Base, options: Options): Promise<State> {
  let from = base
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const built = await tryBuild(store, from, options)
    if (built) return built
    from = await buildSnapshot(store.listing)
  }
  throw new ServiceError('unavailable', 'Too many passports change: the index for filters cannot be built.')
}

/** `undefined` if the changes since the cursor are too many or unknown. */
async function tryBuild(store: Reader, base: Base, options: Options): Promise<State | undefined> {
  const { signal, onProgress } = options
  const state = { index: createFacetIndex(), cursor: base.cursor }
  const ids = base.ids.slice().sort()
  for (let at = 0, chunks = 1; at < ids.length; at += CHUNK, chunks++) {
    signal?.throwIfAborted()
    await readPassports(store, state, Array.from(ids.subarray(at, at + CHUNK)))
    if (chunks % CHUNKS_BETWEEN_CHANGES === 0 && !(await readChanges(store, state))) return undefined
    onProgress?.(at, ids.length)
  }
  if (!(await readChanges(store, state))) return undefined
  onProgress?.(ids.length, ids.length)
  return state
}

/** Returns false if the changes are too many or unknown. */
export async function readChanges(store: Reader, state: State): Promise<boolean> {
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
