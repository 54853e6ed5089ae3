import type { Facets } from '../store/store.ts'
import type { Names } from './search.ts'
import { grow } from './snapshot.ts'
import { countWhile } from './sorted-list.ts'

const LINE_FEED = 10

/** Ids and names of passports. A changed passport gets a new slot: slots are only appended. */
export type Slots = {
  count: number
  ids: Float64Array<ArrayBuffer>
  /** Folded names as in a snapshot, up to `end`. */
  names: Uint8Array<ArrayBuffer>
  starts: Uint32Array<ArrayBuffer>
  end: number
  /** The slots in use, sorted by passport id. The underlying buffer may be longer than this array. */
  byId: Uint32Array<ArrayBuffer>
}

export const createSlots = (): Slots => ({
  count: 0,
  ids: new Float64Array(1024),
  names: new Uint8Array(1024).fill(LINE_FEED, 0, 1),
  starts: new Uint32Array(1024).fill(1, 0, 1),
  end: 1,
  byId: new Uint32Array(),
})

export const namesOf = ({ names, end, starts, count }: Slots): Names => ({
  names: names.subarray(0, end),
  starts: starts.subarray(0, count + 1),
})

const encoder = new TextEncoder()

/** Returns a new slot. It is in use after `replaceSlots`. */
export function addSlot(slots: Slots, { id, name }: Pick<Facets, 'id' | 'name'>): number {
  const slot = slots.count++
  if (slot + 1 >= slots.starts.length) {
    slots.ids = grow(slots.ids, 2 * slot)
    slots.starts = grow(slots.starts, 2 * slot + 1)
  }
  // A UTF-16 unit takes at most three bytes of UTF-8.
  const most = slots.end + name.length * 3 + 1
  if (most > slots.names.length) slots.names = grow(slots.names, 2 * most)
  slots.end += encoder.encodeInto(name, slots.names.subarray(slots.end)).written
  slots.names[slots.end++] = LINE_FEED
  slots.ids[slot] = id
  slots.starts[slot + 1] = slots.end
  return slot
}

/** Removes the passports with these ids, and adds new slots, which are sorted by id. */
export function replaceSlots(slots: Slots, removed: readonly number[], added: readonly number[]): void {
  const { byId, ids } = slots
  const indexOf = (id: number) =>
    countWhile(byId.length, (index) => (ids[byId[index] as number] as number) < id)
  const isAt = (index: number, id: number) => index < byId.length && ids[byId[index] as number] === id
  const gone = removed.map((id) => ({ id, index: indexOf(id) })).filter(({ id, index }) => isAt(index, id))
  const [first] = added
  if (gone.length === 0 && first !== undefined && indexOf(ids[first] as number) === byId.length) {
    slots.byId = append(byId, added)
    return
  }
  const changes: { index: number; slot?: number }[] = [
    ...added.map((slot) => ({ index: indexOf(ids[slot] as number), slot })),
    ...gone.map(({ index }) => ({ index })),
  ].sort((one, other) => one.index - other.index)
  const merged = new Uint32Array(byId.length - gone.length + added.length)
  let from = 0
  let length = 0
  for (const { index, slot } of [...changes, { index: byId.length }]) {
    merged.set(byId.subarray(from, index), length)
    length += index - from
    from = slot === undefined ? index + 1 : index
    if (slot !== undefined) merged[length++] = slot
  }
  slots.byId = merged
}

/** Most passports are added in the order of their ids. The buffer grows less often than the array. */
function append(byId: Slots['byId'], added: readonly number[]): Slots['byId'] {
  const length = byId.length + added.length
  const isFree = byId.buffer.byteLength >= length * Uint32Array.BYTES_PER_ELEMENT
  const longer = (isFree ? new Uint32Array(byId.buffer) : grow(byId, 2 * length)).subarray(0, length)
  longer.set(added, byId.length)
  return longer
}
