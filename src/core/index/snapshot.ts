import type { ListRequest, Position } from '../lists/list-request.ts'
import type { ListedPassport, ListingChanges, ListingStore } from '../store/store.ts'

/** All listed passports in rank order: highest score first, equal scores by id. Immutable and shared between threads. */
export type Snapshot = {
  /** The last change of the store that the snapshot includes. */
  cursor: string
  ids: Float64Array<SharedArrayBuffer>
  scores: Float64Array<SharedArrayBuffer>
  /** The folded names in UTF-8. A line feed precedes each name and follows the last one. */
  names: Uint8Array<SharedArrayBuffer>
  /** The offset of each name in `names`, and the offset after the last name. */
  starts: Uint32Array<SharedArrayBuffer>
}

const LINE_FEED = 10

export async function buildSnapshot(listing: Pick<ListingStore, 'readAll'>): Promise<Snapshot> {
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

/** Collects passports in rank order. The arrays are longer than needed, but unwritten parts take no memory. */
function createBuilder(passports: number, nameBytes = 0) {
  const named = createNamed(passports, nameBytes)
  let scores = new Float64Array(new SharedArrayBuffer(passports * 8))

  return {
    add({ id, score, name }: ListedPassport): void {
      const rank = addNamed(named, id, name)
      if (rank === scores.length) scores = grow(scores, rank * 2)
      scores[rank] = score
    },
    /** Copies the passports with the ranks `first` to `last - 1`. `ids` must be long enough. */
    copy(from: Snapshot, first: number, last: number): void {
      const start = from.starts[first] as number
      const bytes = (from.starts[last] as number) - start
      reserve(named, bytes)
      named.ids.set(from.ids.subarray(first, last), named.count)
      scores.set(from.scores.subarray(first, last), named.count)
      named.names.set(from.names.subarray(start, start + bytes), named.end)
      for (let rank = first + 1; rank <= last; rank++)
        named.starts[++named.count] = (from.starts[rank] as number) - start + named.end
      named.end += bytes
    },
    finish: (cursor: string): Snapshot => ({
      cursor,
      ...trim(named),
      scores: scores.subarray(0, named.count),
    }),
  }
}

/** Growing arrays, as in a snapshot. The first `count` ids and the first `end` bytes of names are used. */
export type Named = Pick<Snapshot, 'ids' | 'names' | 'starts'> & { count: number; end: number }

export function createNamed(passports: number, nameBytes = 0): Named {
  const named = {
    count: 0,
    ids: new Float64Array(new SharedArrayBuffer(passports * 8)),
    names: new Uint8Array(new SharedArrayBuffer(nameBytes + 1024)),
    starts: new Uint32Array(new SharedArrayBuffer((passports + 1) * 4)),
    end: 1,
  }
  named.names[0] = LINE_FEED
  named.starts[0] = named.end
  return named
}

/** Makes room for one more passport with a name of at most this length. */
function reserve(named: Named, bytes: number): void {
  const { count, end, names } = named
  if (count === named.ids.length) {
    named.ids = grow(named.ids, count * 2)
    named.starts = grow(named.starts, count * 2 + 1)
  }
  if (end + bytes > names.length) named.names = grow(names, (end + bytes) * 2)
}

const encoder = new TextEncoder()

/** Returns the index of the added passport. */
export function addNamed(named: Named, id: number, name: string): number {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  reserve(named, name.length * 3 + 1)
  named.end += encoder.encodeInto(name, named.names.subarray(named.end)).written
  named.names[named.end++] = LINE_FEED
  named.ids[named.count] = id
  named.starts[named.count + 1] = named.end
  return named.count++
}

/** The arrays without their unused ends. */
export const trim = ({ count, ids, names, starts, end }: Named) => ({
  ids: ids.subarray(0, count),
  names: names.subarray(0, end),
  starts: starts.subarray(0, count + 1),
})

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array

type Constructor<T> = new (length: number | ArrayBufferLike) => T

/** Copies the numbers into a longer array, whose buffer is shared if the old one is. */
export function grow<T extends Numbers>(from: T, length: number): T {
  const buffer = new (from.buffer.constructor as Constructor<ArrayBufferLike>)(
    length * from.BYTES_PER_ELEMENT,
  )
  const larger = new (from.constructor as Constructor<T>)(buffer)
  larger.set(from)
  return larger
}

/** Passports sorted by id, or by score: highest first, equal scores by id. */
export type SortedList = { length: number; at(index: number): Position }

export type ListPage = {
  ids: number[]
  /** The value of the sort field of each passport. */
  values: number[]
  /** The position of the last passport; `undefined` on the last page. */
  next: Position | undefined
}

type Cut = Pick<ListRequest, 'sort' | 'after' | 'limit' | 'offset'>

/** Cuts a page out of a list: the first passports after a position, in either direction. */
export function cutPage(list: SortedList, request: Cut): ListPage {
  const { sort, after, limit, offset = 0 } = request
  const isById = sort.field === 'passport_id'
  const isReversed = isById === sort.descending
  const isBefore = (one: Position, other: Position) => {
    const difference = isById ? 0 : one.value - other.value || (one.score ?? 0) - (other.score ?? 0)
    return difference === 0 ? one.id < other.id : difference > 0
  }
  const countTo = (condition: (index: number) => boolean) => countWhile(list.length, condition)
  const first = isReversed
    ? (after ? countTo((index) => isBefore(list.at(index), after)) : list.length) - 1 - offset
    : (after ? countTo((index) => !isBefore(after, list.at(index))) : 0) + offset
  const ids: number[] = []
  const values: number[] = []
  let last: number | undefined
  for (let index = first; index >= 0 && index < list.length && ids.length < limit; ) {
    const { id, value } = list.at(index)
    ids.push(id)
    values.push(value)
    last = index
    index += isReversed ? -1 : 1
  }
  const isEnd = last === undefined || last === (isReversed ? 0 : list.length - 1)
  return { ids, values, next: isEnd ? undefined : list.at(last as number) }
}

/** Binary search: the number of leading indexes for which the condition holds. */
export function countWhile(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}
