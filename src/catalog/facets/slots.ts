import type { Facets } from '../../store/store.ts'
import { grow } from '../grow.ts'
import type { Names } from '../search.ts'
import { countWhile } from '../sorted-list.ts'

const LINE_FEED = 10

/** Ids and names of passports. A changed passport gets a new slot: slots are only appended. */
export type Slots = {
  count: number
  ids: Float64Array<ArrayBuffer>
  /** Folded names as in a snapshot, up to `end`. */
  names: Uint8Array<ArrayBuffer>
  starts: Uint32Array<ArrayBuffer>
  end: number
  /** The slots in use, by the id of their passports. */
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
  const { byId } = slots
  const idOf = (slot: number | undefined) => slots.ids[slot as number] as number
  const indexOf = (id: number) => countWhile(byId.length, (index) => idOf(byId[index]) < id)
  const gone = new Set(removed.map(indexOf).filter((index, at) => idOf(byId[index]) === removed[at]))
  const merged = new Uint32Array(byId.length + added.length)
  if (gone.size === 0 && !(idOf(added[0]) < idOf(byId.at(-1)))) {
    merged.set(byId)
    merged.set(added, byId.length)
    slots.byId = merged
    return
  }
  let length = 0
  let next = 0
  for (let index = 0; index < byId.length; index++) {
    if (gone.has(index)) continue
    while (next < added.length && idOf(added[next]) < idOf(byId[index]))
      merged[length++] = added[next++] as number
    merged[length++] = byId[index] as number
  }
  while (next < added.length) merged[length++] = added[next++] as number
  slots.byId = merged.slice(0, length)
}
