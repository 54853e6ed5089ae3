import { createTurns } from '../basics/awaitable.ts'
import { ServiceError } from '../basics/errors.ts'
import { type EventCursor, formatEventCursor, parseEventCursor } from '../history/event-cursor.ts'
import type { Standing } from '../passport/passport.ts'
import type { ListingRow, ListingStore } from '../store/sql/listing.ts'
import type { SAVED_INDEX } from '../store/sql/saved-index.ts'
import type { Store } from '../store/store.ts'
import { findList, type ListPage, type ListRequest } from './find.ts'
import { listStandings } from './order.ts'
import { createPassportIndex, isSparse, type PassportIndex } from './passport-index.ts'
import { replacePassports, reserve, trimPostings } from './replace.ts'
import { loadIndex, saveIndex } from './save.ts'

export type SavedCopy = ReturnType<(typeof SAVED_INDEX)['open']>

/** The index of a process. Its owner is one thread. */
export type LiveIndex = {
  readonly listing: ListingStore
  readonly events: Pick<Store['events'], 'listRecent'>
  readonly copy: SavedCopy
  readonly inTurn: ReturnType<typeof createTurns>
  index: PassportIndex
  /** The last event that the index includes, or an earlier one while changes are applied. */
  cursor: string
  /** Changed passports since the last save. */
  unsaved: number
  /** A removal deletes the copy. */
  hasCopy: boolean
  savedAt: number
  /** When the first passport was removed whose values are still in memory. */
  removedAt: number
  /** The store no longer knows the changes since the cursor. */
  isLost: boolean
}

/** Aborting the signal ends a build. */
type Options = { signal?: AbortSignal; onProgress?: (percent: number) => void }

/** Passports per read, and passports that change without a pause. */
const CHUNK = 2000

/** A start reads about as many changes as this at most, which takes a second. */
const MOST_UNSAVED = 25_000

/** After a removal, the index is saved again at the end, or when the last copy is this old. */
const LEAST_COPY_AGE_MILLISECONDS = 600_000

const LONGEST_REMOVED_MILLISECONDS = 3_600_000

/** Loads the saved index and reads the changes since, or builds the index. */
export async function openLiveIndex(
  { listing, events }: Pick<LiveIndex, 'listing' | 'events'>,
  copy: SavedCopy,
  options: Options = {},
): Promise<LiveIndex> {
  const loaded = await loadIndex(copy.read())
  const live: LiveIndex = {
    ...{ listing, events, copy, inTurn: createTurns() },
    ...(loaded ?? { index: createPassportIndex(), cursor: '' }),
    ...{ unsaved: 0, hasCopy: loaded !== undefined, savedAt: Number.NEGATIVE_INFINITY },
    ...{ removedAt: Number.POSITIVE_INFINITY, isLost: false },
  }
  if (!loaded || !(await catchUp(live))) await build(live, options)
  return live
}

async function build(live: LiveIndex, { signal, onProgress }: Options): Promise<void> {
  const { cursor, passports } = await live.listing.readEnd()
  Object.assign(live, { cursor, index: createPassportIndex(), hasCopy: false })
  reserve(live.index, passports + CHUNK)
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    signal?.throwIfAborted()
    const rows = await live.listing.listAfter(after, CHUNK)
    const last = rows.at(-1)
    if (!last) break
    await replace(live, [], rows)
    after = last.id
    onProgress?.(Math.min(99, Math.floor((100 * live.index.count) / passports)))
  }
  trimPostings(live.index)
  if (!(await catchUp(live)))
    throw new ServiceError('unavailable', 'Too many passports change: the index cannot be built.')
}

/** Applies the changes since the cursor. Returns false if they are too many or unknown. */
async function catchUp(live: LiveIndex): Promise<boolean> {
  const changes = await live.listing.readChanges(live.cursor)
  live.isLost = !changes
  if (!changes) return false
  const { cursor, ids } = changes
  for (let at = 0; at < ids.length; at += CHUNK) {
    const some = ids.slice(at, at + CHUNK)
    const rows = await live.listing.listRows(some)
    if (rows.length < some.length) {
      live.removedAt = Math.min(live.removedAt, performance.now())
      live.hasCopy = false
    }
    await replace(live, some, rows)
  }
  live.unsaved += ids.length
  live.cursor = cursor
  return true
}

async function replace({ index }: LiveIndex, ids: readonly number[], rows: readonly ListingRow[]) {
  replacePassports(index, ids, rows)
  // Lists are evaluated between two chunks.
  await new Promise(setImmediate)
}

/** Reads changes, and saves the index if it should be saved. `isEnd`: the process ends. */
export const updateIndex = (live: LiveIndex, isEnd = false): Promise<void> =>
  live.inTurn(async () => {
    await catchUp(live)
    const isOld = isEnd || performance.now() >= live.savedAt + LEAST_COPY_AGE_MILLISECONDS
    const isNeeded = live.unsaved >= MOST_UNSAVED || (isOld && !live.hasCopy)
    if (!live.isLost && isNeeded) await saveCopy(live)
  })

/** Changes wait meanwhile, lists do not. */
async function saveCopy(live: LiveIndex): Promise<void> {
  // A database that refuses the copy is not asked again at once.
  Object.assign(live, { unsaved: 0, hasCopy: false, savedAt: performance.now() })
  // The copy must not have people who were removed before.
  const list = async () => ((await catchUp(live)) ? saveIndex(live.index, live.cursor) : [])
  live.hasCopy = await live.copy.write(list)
}

/**
 * Whether a new thread should build the index: removed values are in memory for too long, or too many, or changes are
 * lost.
 */
export const isOutdated = ({ index, isLost, removedAt }: LiveIndex): boolean =>
  isLost || isSparse(index) || performance.now() >= removedAt + LONGEST_REMOVED_MILLISECONDS

/**
 * With `after`, the page includes that event: changes are read first. Throws `behind` if the store does not have it
 * in time. A page with ranks has the standings of its passports.
 */
export async function findInLiveIndex(
  live: LiveIndex,
  request: ListRequest,
  after?: EventCursor,
): Promise<ListPage & { cursor: string; standings: Standing[] }> {
  if (after) await reach(live, after)
  const page = findList(live.index, request)
  const standings = request.ranks ? listStandings(live.index, page.ids) : []
  return { ...page, cursor: live.cursor, standings }
}

const LONGEST_WAIT_MILLISECONDS = 2000

/** The pauses between two reads. Reads of SQLite share a transaction for 5 ms. */
const FIRST_PAUSE_MILLISECONDS = 5
const LONGEST_PAUSE_MILLISECONDS = 200

async function reach(live: LiveIndex, after: EventCursor): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MILLISECONDS
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    // Another list may have read the changes while this one waited for its turn.
    await live.inTurn(async () => hasEvent(live, after) || (await catchUp(live)))
    if (hasEvent(live, after)) return
    if (performance.now() + pause >= end) break
    await Bun.sleep(pause)
  }
  const text = formatEventCursor(after)
  throw new ServiceError('behind', `This node does not have the event ${text} yet. Try again shortly.`)
}

/** The cursor of the ranking is that of an event, and a colon with more. */
function hasEvent({ cursor }: LiveIndex, { log, sequence }: EventCursor): boolean {
  const event = parseEventCursor(cursor.split(':')[0] ?? '')
  return event !== undefined && event.log === log && event.sequence >= sequence
}
