import { foldName } from '../basics/text/fold-name.ts'
import type { GroupField } from '../lists/list-request.ts'
import type { ListingRow } from '../store/sql/listing.ts'
import { clearBit, setBit, wordsFor } from './bits.ts'
import { parseFacets } from './listing-row.ts'
import { addName, eraseName } from './names.ts'
import { findSlot } from './order.ts'
import { listPostings, NO_VALUE, type PassportIndex, SCORE_FIELDS, type Value } from './passport-index.ts'
import { append, createPosting, lengthen, type Posting } from './posting.ts'

/** Removes the passports with these ids, and adds or replaces those in `rows`. */
export function replacePassports(
  index: PassportIndex,
  ids: readonly number[],
  rows: readonly ListingRow[],
): void {
  const changed = new Set([...ids, ...rows.map(({ id }) => id)])
  const slots = [...changed].flatMap((id) => findSlot(index, id) ?? [])
  for (const slot of slots) removeSlot(index, slot)
  // Of several rows with the same id, the last one counts.
  for (const row of new Map(rows.map((row) => [row.id, row])).values()) addPassport(index, row)
}

function removeSlot(index: PassportIndex, slot: number): void {
  clearBit(index.alive, slot)
  index.removed.push(slot)
  eraseName(index.names, slot)
}

function addPassport(index: PassportIndex, row: ListingRow): void {
  const slot = index.count++
  reserve(index, slot)
  setBit(index.alive, slot)
  index.ids[slot] = row.id
  index.highestId = Math.max(index.highestId, row.id)
  addName(index.names, slot, row.name)
  const { scores, values, points } = parseFacets(row)
  for (const field of SCORE_FIELDS) index.scores[field][slot] = scores[field]
  for (const field of LISTED_FIELDS) addValues(index, field, values[field], slot)
  addPoints(index, points, slot)
}

const LISTED_FIELDS = ['location', 'tag', 'source', 'human', 'rules'] as const

function reserve(index: PassportIndex, slot: number): void {
  if (slot < index.ids.length) return
  const length = slot + (slot >>> 1) + 1024
  index.ids = lengthen(index.ids, length)
  for (const field of SCORE_FIELDS) index.scores[field] = lengthen(index.scores[field], length)
  index.alive = lengthen(index.alive, wordsFor(length))
}

function addValues(index: PassportIndex, field: GroupField, written: readonly string[], slot: number): void {
  if (written.length === 0) append(getValue(index, field, NO_VALUE).posting, slot, index.count)
  for (const label of written) append(getValue(index, field, label).posting, slot, index.count)
}

type Points = ReturnType<typeof parseFacets>['points']

function addPoints(index: PassportIndex, listed: Points, slot: number): void {
  if (listed.length === 0) addValues(index, 'type', [], slot)
  for (const { points, type } of listed) {
    const { text, posting } = getValue(index, 'type', type)
    append(posting, slot, index.count)
    const byPoints = index.points.getOrInsertComputed(text, () => new Map<number, Posting>())
    append(byPoints.getOrInsertComputed(points, createPosting), slot, index.count)
  }
}

function getValue(index: PassportIndex, field: GroupField, written: string): Value {
  const known = index.written[field].get(written)
  if (known) return known
  // A part of a text keeps the whole text in memory; a copy does not.
  const label = Buffer.from(written).toString()
  const text = foldName(label)
  const value = { text, posting: index.values[field].getOrInsertComputed(text, createPosting) }
  index.written[field].set(label, value)
  if (label !== text && !index.labels[field].has(text)) index.labels[field].set(text, label)
  return value
}

/** Frees the unused ends of lists: a third of the memory of an index that was just built. */
export function trimPostings(index: PassportIndex): void {
  for (const postings of listPostings(index))
    for (const posting of postings.values())
      if (posting.list) posting.list = posting.list.slice(0, posting.count)
}
