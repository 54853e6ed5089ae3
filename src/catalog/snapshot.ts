import type { ListedPassport, ListingChanges, ListingStore } from '../store/store.ts'

/** All listed passports in rank order: highest score first, equal scores by id. Immutable and shared between threads. */
export type Snapshot = {
  /** The last change of the store that the snapshot includes. */
  cursor: string
  ids: Float64Array<SharedArrayBuffer>
  scores: Float64Array<SharedArrayBuffer>
  /** The folded names in UTF-8: a line feed before each and after the last. */
  names: Uint8Array<SharedArrayBuffer>
  /** The offset of each name in `names`, and the offset after the last. */
  starts: Uint32Array<SharedArrayBuffer>
}

const LINE_FEED = 10

export async function buildSnapshot(listing: ListingStore): Promise<Snapshot> {
  const builder = createBuilder(1024)
  const cursor = await listing.readAll(builder.add)
  return builder.finish(cursor)
}

/** Reads the changes since a snapshot; returns the same snapshot if there are none. */
export async function updateSnapshot(snapshot: Snapshot, listing: ListingStore): Promise<Snapshot> {
  const changes = await listing.readChanges(snapshot.cursor)
  if (changes === undefined) return buildSnapshot(listing)
  if (changes.listed.length === 0 && changes.unlisted.length === 0) {
    return changes.cursor === snapshot.cursor ? snapshot : { ...snapshot, cursor: changes.cursor }
  }
  return mergeChanges(snapshot, changes)
}

function mergeChanges(snapshot: Snapshot, { cursor, listed, unlisted }: ListingChanges): Snapshot {
  const changed = new Set([...unlisted, ...listed.map(({ id }) => id)])
  const added = listed.toSorted((one, other) => other.score - one.score || one.id - other.id)
  const builder = createBuilder(snapshot.ids.length + added.length, snapshot.names.length)
  let next = 0
  /** The first rank that is not copied yet. */
  let first = 0
  for (let rank = 0; rank < snapshot.ids.length; rank++) {
    const id = snapshot.ids[rank] as number
    const score = snapshot.scores[rank] as number
    const isAddedBefore = () => next < added.length && isBefore(added[next] as ListedPassport, score, id)
    const isChanged = changed.has(id)
    if (!isChanged && !isAddedBefore()) continue
    builder.copy(snapshot, first, rank)
    first = isChanged ? rank + 1 : rank
    for (; isAddedBefore(); next++) builder.add(added[next] as ListedPassport)
  }
  builder.copy(snapshot, first, snapshot.ids.length)
  for (; next < added.length; next++) builder.add(added[next] as ListedPassport)
  return builder.finish(cursor)
}

const isBefore = (one: ListedPassport, score: number, id: number) =>
  one.score > score || (one.score === score && one.id < id)

/** Collects passports in rank order, in shared arrays that grow. Their unused ends take no memory. */
function createBuilder(passports: number, nameBytes = 0) {
  let ids = new Float64Array(new SharedArrayBuffer(passports * 8))
  let scores = new Float64Array(new SharedArrayBuffer(passports * 8))
  let starts = new Uint32Array(new SharedArrayBuffer((passports + 1) * 4))
  let names = new Uint8Array(new SharedArrayBuffer(nameBytes + 1024))
  const encoder = new TextEncoder()
  let count = 0
  let end = 1
  names[0] = LINE_FEED
  starts[0] = end

  function reserve(bytes: number): void {
    if (count === ids.length) {
      ids = grow(ids, count * 2)
      scores = grow(scores, count * 2)
      starts = grow(starts, count * 2 + 1)
    }
    if (end + bytes > names.length) names = grow(names, (end + bytes) * 2)
  }

  return {
    add({ id, score, name }: ListedPassport): void {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      reserve(name.length * 3 + 1)
      ids[count] = id
      scores[count] = score
      end += encoder.encodeInto(name, names.subarray(end)).written
      names[end++] = LINE_FEED
      starts[++count] = end
    },
    /** Copies the ranks from `first` to the one before `last`, for which there is room in `ids`. */
    copy(from: Snapshot, first: number, last: number): void {
      const start = from.starts[first] as number
      const bytes = (from.starts[last] as number) - start
      reserve(bytes)
      ids.set(from.ids.subarray(first, last), count)
      scores.set(from.scores.subarray(first, last), count)
      names.set(from.names.subarray(start, start + bytes), end)
      for (let rank = first + 1; rank <= last; rank++)
        starts[++count] = (from.starts[rank] as number) - start + end
      end += bytes
    },
    finish: (cursor: string): Snapshot => ({
      cursor,
      ids: ids.subarray(0, count),
      scores: scores.subarray(0, count),
      names: names.subarray(0, end),
      starts: starts.subarray(0, count + 1),
    }),
  }
}

type Numbers = Float64Array | Uint32Array | Uint8Array

type Constructor<T> = new (length: number | ArrayBufferLike) => T

/** A longer array that begins with the same numbers, in a buffer of the same kind. */
export function grow<T extends Numbers>(from: T, length: number): T {
  const buffer = new (from.buffer.constructor as Constructor<ArrayBufferLike>)(
    length * from.BYTES_PER_ELEMENT,
  )
  const larger = new (from.constructor as Constructor<T>)(buffer)
  larger.set(from)
  return larger
}
