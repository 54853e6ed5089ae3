import { addNamed, countWhile, createNamed, grow, type Named } from './snapshot.ts'

/** A slot of the facet index belongs to one passport. Names are in the order of the slots. */
export type Slots = Named & {
  /** The slots in use, sorted by passport id: a view of `places`, which is longer. */
  byId: Uint32Array
  places: Uint32Array
  /** How many passports were changed or removed. Their old values are still in memory. */
  changed: number
}

export function createSlots(): Slots {
  const places = new Uint32Array(1024)
  return { ...createNamed(1024), places, byId: places.subarray(0, 0), changed: 0 }
}

/** Returns the old slot of the passport, or a new one if there is none or if it has another name. */
export function slotFor(slots: Slots, { id, name }: { id: number; name: string }, old?: number): number {
  return old !== undefined && isNameAt(slots, old, name) ? old : addNamed(slots, id, name)
}

function isNameAt({ names, starts }: Slots, slot: number, name: string): boolean {
  const [start, end] = [starts[slot] as number, (starts[slot + 1] as number) - 1]
  return Buffer.from(names.buffer, start, end - start).equals(Buffer.from(name))
}

/** Updates write in place: at a million passports, a copy of `byId` for each update is 4 MB. */
export function removeIds(slots: Slots, ids: readonly number[]): void {
  const { byId, places } = slots
  const removed = [...new Set(ids)]
    .map((id) => ({ id, position: positionOf(slots, id) }))
    .filter(({ id, position }) => isAt(slots, position, id))
    .sort((one, other) => one.position - other.position)
  for (const [at, { position }] of removed.entries())
    byId.copyWithin(position - at, position + 1, removed[at + 1]?.position)
  slots.byId = places.subarray(0, byId.length - removed.length)
  slots.changed += removed.length
}

/** `added` are slots of new passports, sorted by passport id. */
export function insertSlots(slots: Slots, added: readonly number[]): void {
  const { byId, ids } = slots
  const length = byId.length + added.length
  if (length > slots.places.length) slots.places = grow(slots.places, 2 * length)
  const { places } = slots
  // Begins at the end, so that each slot moves at most once.
  let end = byId.length
  for (let left = added.length; left > 0; left--) {
    const slot = added[left - 1] as number
    const position = positionOf(slots, ids[slot] as number)
    places.copyWithin(position + left, position, end)
    places[position + left - 1] = slot
    end = position
  }
  slots.byId = places.subarray(0, length)
}

export const isAt = ({ byId, ids }: Slots, position: number, id: number) =>
  position < byId.length && ids[byId[position] as number] === id

/** The position of a passport in `byId`; if it is not there, the position at which it would be. */
export function positionOf({ byId, ids }: Slots, id: number): number {
  const isBefore = (position: number) => (ids[byId[position] as number] as number) < id
  // The fast path: a build adds passports in the order of their ids.
  if (byId.length === 0 || isBefore(byId.length - 1)) return byId.length
  return countWhile(byId.length, isBefore)
}
