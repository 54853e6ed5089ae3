import type { ListedPassport, ListingChanges, ListingStore } from '../store/store.ts'
import { grow } from './grow.ts'

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
  for (let rank = 0; rank < snapshot.ids.length; rank++) {
    const id = snapshot.ids[rank] as number
    if (changed.has(id)) continue
    const score = snapshot.scores[rank] as number
    for (; next < added.length && isBefore(added[next] as ListedPassport, score, id); next++) {
      builder.add(added[next] as ListedPassport)
    }
    builder.copy(snapshot, rank)
  }
  for (; next < added.length; next++) builder.add(added[next] as ListedPassport)
  return builder.finish(cursor)
}

const isBefore = (one: ListedPassport, score: number, id: number) =>
  one.score > score || (one.score === score && one.id < id)

/** Collects passports in rank order, in arrays that grow. */
function createBuilder(passports: number, nameBytes = 0) {
  let ids = new Float64Array(passports)
  let scores = new Float64Array(passports)
  let starts = new Uint32Array(passports + 1)
  let names = new Uint8Array(nameBytes + 1024)
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

  function endName(id: number, score: number, bytes: number): void {
    ids[count] = id
    scores[count] = score
    starts[count] = end
    end += bytes
    names[end++] = LINE_FEED
    starts[++count] = end
  }

  return {
    add({ id, score, name }: ListedPassport): void {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      reserve(name.length * 3 + 1)
      endName(id, score, encoder.encodeInto(name, names.subarray(end)).written)
    },
    copy(from: Snapshot, rank: number): void {
      const start = from.starts[rank] as number
      const bytes = (from.starts[rank + 1] as number) - start - 1
      reserve(bytes + 1)
      for (let at = 0; at < bytes; at++) names[end + at] = from.names[start + at] as number
      endName(from.ids[rank] as number, from.scores[rank] as number, bytes)
    },
    finish(cursor: string): Snapshot {
      const snapshot = {
        cursor,
        ids: new Float64Array(new SharedArrayBuffer(count * 8)),
        scores: new Float64Array(new SharedArrayBuffer(count * 8)),
        names: new Uint8Array(new SharedArrayBuffer(end)),
        starts: new Uint32Array(new SharedArrayBuffer((count + 1) * 4)),
      }
      snapshot.ids.set(ids.subarray(0, count))
      snapshot.scores.set(scores.subarray(0, count))
      snapshot.names.set(names.subarray(0, end))
      snapshot.starts.set(starts.subarray(0, count + 1))
      return snapshot
    },
  }
}
