import { type Bits, clearBit, createBits, hasBit, listBits, setBit, subtractBits } from '../basics/bits.ts'
import { roundUp } from '../basics/round-up.ts'
import { countWhile } from '../basics/sorted.ts'
import type { Operator } from '../lists/filter.ts'
import type { Position, ScoreField, SortField } from '../lists/list-request.ts'
import type { Rank, Scores, Standing } from '../passport/passport.ts'
import { countAlive, type Order, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { fromBits, fromList, isRare } from './posting.ts'

/** Comparisons of slots with each other, or with a position. Equal values are sorted by id, as is the order of ids. */
export function createComparison({ ids, scores }: PassportIndex, field: SortField) {
  const values = field === 'passport_id' ? undefined : scores[field]
  const compareWith = (slot: number, { value, id }: Position) =>
    (values ? value - (values[slot] as number) : 0) || (ids[slot] as number) - id
  const compare = (a: number, b: number) =>
    (values ? (values[b] as number) - (values[a] as number) : 0) || (ids[a] as number) - (ids[b] as number)
  return { compare, compareWith }
}

/** The current order of a field. Sorting takes some 50 times as long as adding a few changes to the last order. */
export function orderOf(index: PassportIndex, field: SortField): Order {
  const last = index.orders.get(field)
  const { count, removed } = index
  if (last?.count === count && last.removed === removed.length) return last
  const slots = last ? mergeChanges(index, field, last) : sortSlots(index, field)
  const order: Order = { slots, count, removed: removed.length }
  index.orders.set(field, order)
  return order
}

/** The slot of a passport. */
export function findSlot(index: PassportIndex, id: number): number | undefined {
  const { slots } = orderOf(index, 'passport_id')
  const idAt = (at: number) => index.ids[slots[at] as number] as number
  const place = countWhile(slots.length, (at) => idAt(at) < id)
  return idAt(place) === id ? slots[place] : undefined
}

function sortSlots(index: PassportIndex, field: SortField): Uint32Array {
  const slots = listBits(index.alive, countAlive(index))
  const { compare } = createComparison(index, 'passport_id')
  const isSorted = slots.every((slot, at) => at === 0 || compare(slots[at - 1] as number, slot) < 0)
  const byId = isSorted ? slots : slots.sort(compare)
  return field === 'passport_id' ? byId : sortByCounting(index.scores[field], byId)
}

/** The highest value first; slots with equal values keep their order. */
function sortByCounting(values: Float64Array, slots: Uint32Array): Uint32Array {
  // A typed array sorts without a comparator, which would take most of the time.
  const ascending = Float64Array.from(slots, (slot) => values[slot] as number).sort()
  /** The next place of each value. */
  const places = new Map<number, number>()
  for (let at = 0; at < ascending.length; at++) {
    const value = ascending[at] as number
    if (value !== ascending[at + 1]) places.set(value, ascending.length - 1 - at)
  }
  const sorted = new Uint32Array(slots.length)
  for (const slot of slots) {
    const value = values[slot] as number
    const place = places.get(value) as number
    places.set(value, place + 1)
    sorted[place] = slot
  }
  return sorted
}

/** Copies the parts of the last order between its changes: slots that were added before a place, or removed from it. */
function mergeChanges(index: PassportIndex, field: SortField, last: Order): Uint32Array {
  const { slots, count, removed } = last
  const { compare } = createComparison(index, field)
  const placeOf = (slot: number) => countWhile(slots.length, (at) => compare(slots[at] as number, slot) < 0)
  const added = Array.from({ length: index.count - count }, (_, at) => count + at)
    .filter((slot) => hasBit(index.alive, slot) === 1)
    .sort(compare)
  const gone = index.removed.slice(removed).filter((slot) => slot < count)
  const changes = [...added, ...gone].map((slot) => ({ slot, place: placeOf(slot) }))
  const merged = new Uint32Array(countAlive(index))
  let [copied, length] = [0, 0]
  // The sort is stable: what is added before a place comes before the removal of the slot there.
  for (const { slot, place } of changes.sort((a, b) => a.place - b.place)) {
    merged.set(slots.subarray(copied, place), length)
    length += place - copied
    copied = place
    if (slot < count) copied++
    else merged[length++] = slot
  }
  merged.set(slots.subarray(copied), length)
  return merged
}

/** The first slots of an order as bits. They can be changed. */
export function firstAsBits({ alive, count }: PassportIndex, { slots }: Order, length: number): Bits {
  const isMost = 2 * length > slots.length
  const bits = isMost ? alive.slice() : createBits(count)
  for (let at = 0; !isMost && at < length; at++) setBit(bits, slots[at] as number)
  for (let at = length; isMost && at < slots.length; at++) clearBit(bits, slots[at] as number)
  return bits
}

/** How many passports have a score above a value, or one that is at least that. */
export function countAbove(index: PassportIndex, field: ScoreField, value: number, orEqual = false): number {
  const { slots } = orderOf(index, field)
  const scores = index.scores[field]
  const scoreAt = (at: number) => scores[slots[at] as number] as number
  return countWhile(slots.length, (at) => scoreAt(at) > value || (orEqual && scoreAt(at) === value))
}

/** The passports whose score fulfils a condition: a part of the order. */
export function findRange(index: PassportIndex, field: ScoreField, operator: Operator, value: number) {
  const order = orderOf(index, field)
  const { slots } = order
  const isBelow = operator[0] === '<'
  const begin = isBelow || operator === '=' ? countAbove(index, field, value, operator === '<') : 0
  const end = isBelow ? slots.length : countAbove(index, field, value, operator !== '>')
  if (isRare(end - begin, index.count)) return fromList(slots.slice(begin, end).sort())
  const bits = firstAsBits(index, order, end)
  if (begin > 0) subtractBits(bits, firstAsBits(index, order, begin))
  return fromBits(bits, end - begin)
}

const MOST_BUCKETS = 40

/** Scores above this multiple of a high percentile are outliers. */
const NEAR = 1.5

/**
 * A histogram of all scores. `scale` is the end of its axis, a round number that only outliers exceed, `step` the width
 * of a bucket. The last bucket has all scores above `scale`. Scores are sorted, so it takes no time.
 */
export function findDistribution(index: PassportIndex) {
  const { slots } = orderOf(index, 'score')
  const total = slots.length
  const scoreAt = (place: number) => index.scores.score[slots[place] ?? -1] ?? 0
  const highest = Math.max(scoreAt(0), 0)
  const outliers = countAbove(index, 'score', NEAR * scoreAt(Math.ceil(total / 100)))
  const end = scoreAt(outliers) || highest
  const step = roundUp(Math.max(end, 1) / MOST_BUCKETS)
  const buckets = Math.max(1, Math.ceil(end / step))
  /** How many scores are below the end of each bucket. A score at the end of the axis is in the last bucket but one. */
  const below = Array.from(
    { length: buckets },
    (_, at) => total - countAbove(index, 'score', step * (at + 1), at + 1 < buckets),
  )
  const distribution = [...below, total].map((count, at) => count - (below[at - 1] ?? 0))
  const median = scoreAt(Math.floor(total / 2))
  return { total, highest, median, scale: step * buckets, step, distribution }
}

export const findStanding = (index: PassportIndex, scores: Scores): Standing => ({
  total: rankOf(index, scores.total),
  activity: rankOf(index, scores.activity, 'activity_score'),
  identity: rankOf(index, scores.identity, 'identity_score'),
  skills: rankOf(index, scores.skills, 'skills_score'),
})

/** The standings of listed passports by their scores in the index. */
export const listStandings = (index: PassportIndex, ids: readonly number[]): Standing[] =>
  ids.map((id) => {
    const slot = findSlot(index, id) as number
    const scores = SCORE_FIELDS.map((field) => index.scores[field][slot])
    const [total = 0, activity = 0, identity = 0, skills = 0] = scores
    return findStanding(index, { total, activity, identity, skills })
  })

export function rankOf(index: PassportIndex, score: number, field: ScoreField = 'score'): Rank {
  const total = countAlive(index)
  const atLeast = countAbove(index, field, score, true)
  return { rank: countAbove(index, field, score) + 1, below: total - atLeast, total }
}
