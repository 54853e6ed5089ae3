import { clearBit, resize, setBit, wordsFor } from '../basics/bits.ts'
import { foldKnown } from '../basics/text/fold-name.ts'
import type { GroupField } from '../lists/list-request.ts'
import { parsePoints, readFacets } from '../store/rows/listing.ts'
import type { ListingRow } from '../store/sql/listing.ts'
import { addName, eraseName } from './names.ts'
import { findSlot } from './order.ts'
import { listPostings, NO_VALUE, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { append, createPosting, type Posting } from './posting.ts'

/** Removes the passports with these ids, and adds those in `rows`. To replace one, name its id as well. */
export function replacePassports(index: PassportIndex, ids: readonly number[], rows: readonly ListingRow[]) {
  for (const slot of ids.flatMap((id) => findSlot(index, id) ?? [])) {
    clearBit(index.alive, slot)
    index.removed.push(slot)
    eraseName(index.names, slot)
  }
  for (const row of rows) addPassport(index, row)
}

/** Makes room for this many slots. */
export function reserve(index: PassportIndex, slots: number): void {
  const { names } = index
  index.ids = resize(index.ids, slots)
  for (const field of SCORE_FIELDS) index.scores[field] = resize(index.scores[field], slots)
  index.alive = resize(index.alive, wordsFor(slots))
  names.starts = resize(names.starts, slots + 1)
}

function addPassport(index: PassportIndex, { id, name, facets }: ListingRow): void {
  const slot = index.count++
  if (slot >= index.ids.length) reserve(index, slot + (slot >>> 1) + 1024)
  setBit(index.alive, slot)
  index.ids[slot] = id
  addName(index.names, slot, name)
  const valuesOf = readFacets(facets)
  for (const field of SCORE_FIELDS) index.scores[field][slot] = Number(valuesOf(field)[0])
  for (const field of ['location', 'tag', 'source', 'human', 'rules'] as const)
    addValues(index, field, valuesOf(field), slot)
  const points = valuesOf('points').map(parsePoints)
  const types = points.map(({ type }) => type)
  addValues(index, 'type', types, slot)
  for (const { type, points: number } of points) {
    const byPoints = getPosting(index.points, type, () => new Map<number, Posting>())
    append(getPosting(byPoints, number, createPosting), slot, index.count)
  }
}

function addValues(index: PassportIndex, field: GroupField, written: readonly string[], slot: number): void {
  const labels = index.labels[field]
  for (const label of written.length === 0 ? [NO_VALUE] : written) {
    const value = foldKnown(label)
    append(getPosting(index.values[field], value, createPosting), slot, index.count)
    if (label !== value && !labels.has(value)) labels.set(copy(value), copy(label))
  }
}

/** Adds what is missing. */
function getPosting<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known) return known
  const added = create()
  map.set(typeof key === 'string' ? (copy(key) as Key) : key, added)
  return added
}

/** A part of a text keeps the whole text in memory; a copy does not. */
const copy = (text: string): string => Buffer.from(text).toString()

/** Frees the unused ends of lists: a third of the memory of an index that was just built. */
export function trimPostings(index: PassportIndex): void {
  for (const postings of listPostings(index))
    for (const posting of postings.values())
      if (posting.list) posting.list = resize(posting.list, posting.count)
}
