import { clearBit, resize, setBit, wordsFor } from '../basics/bits.ts'
import { foldName } from '../basics/text/fold-name.ts'
import type { GroupField } from '../lists/list-request.ts'
import { parsePoints, readFacets } from '../store/rows/listing.ts'
import type { ListingRow } from '../store/sql/listing.ts'
import { addName, eraseName } from './names.ts'
import { findSlot } from './order.ts'
import { listPostings, NO_VALUE, type PassportIndex, SCORE_FIELDS, WRITTEN_FIELDS } from './passport-index.ts'
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
  if (slot >= index.ids.length) reserve(index, slot + (slot >>> 3) + 1024)
  setBit(index.alive, slot)
  index.ids[slot] = id
  addName(index.names, slot, name)
  const valuesOf = readFacets(facets)
  for (const field of SCORE_FIELDS) index.scores[field][slot] = Number(valuesOf(field)[0])
  for (const field of WRITTEN_FIELDS)
    for (const written of valuesOf(field))
      for (const posting of findPostings(index, field, written)) append(posting, slot, index.count)
}

const MOST_WRITTEN = 10_000

type WrittenField = (typeof WRITTEN_FIELDS)[number]

/** Folding and parsing take several times longer than a lookup. */
function findPostings(index: PassportIndex, field: WrittenField, written: string): readonly Posting[] {
  const cache = index.written[field]
  const cached = cache.get(written)
  if (cached) return cached
  if (cache.size === MOST_WRITTEN) cache.clear()
  // A part of a text keeps the whole text in memory; a copy does not.
  const text = Buffer.from(written).toString()
  const added = field === 'points' ? addPoints(index, text) : [addValue(index, field, text)]
  cache.set(text, added)
  return added
}

/** Without a text, nobody has points: the passport has no type. */
function addPoints(index: PassportIndex, text: string): Posting[] {
  if (text === NO_VALUE) return [addValue(index, 'type', text)]
  const { points, type } = parsePoints(text)
  const byPoints = index.points.getOrInsertComputed(type, () => new Map())
  return [addValue(index, 'type', type), byPoints.getOrInsertComputed(points, createPosting)]
}

function addValue({ values }: PassportIndex, field: GroupField, written: string): Posting {
  const value = foldName(written)
  const posting = values[field].getOrInsertComputed(value, createPosting)
  if (value !== written) posting.label ??= written
  return posting
}

/** Frees the unused ends of lists: a third of the memory of an index that was just built. */
export function trimPostings(index: PassportIndex): void {
  for (const postings of listPostings(index))
    for (const posting of postings.values())
      if (posting.list) posting.list = resize(posting.list, posting.count)
}
