import {
  type Bits,
  countBits,
  countCommonBits,
  createBits,
  hasBit,
  listBits,
  resize,
  setBit,
  uniteBits,
} from '../basics/bits.ts'
import { countWhile } from '../basics/sorted.ts'

/**
 * A set of slots: a sorted list if they are rare, or one bit for each slot if at least one slot of 32 is in the set,
 * so that bits are smaller than a list. Slots are appended in ascending order and stay. `list` and `bits` can be
 * longer than needed. `label`: how the folded value was first written, if not the same.
 */
export type Posting = {
  count: number
  list: Uint32Array | undefined
  bits: Bits | undefined
  label?: string | undefined
}

/** A set with fewer than one slot in this many is a list. */
const RARE = 32

/** Short lists are never converted: they would have to be converted again and again while the index grows. */
const SHORTEST_BITS = 1024

export const createPosting = (): Posting => fromList(new Uint32Array(2), 0)

export const fromList = (list: Uint32Array, count = list.length): Posting => ({
  count,
  list,
  bits: undefined,
})

export const fromBits = (bits: Bits, count = countBits(bits)): Posting => ({ count, list: undefined, bits })

export const isRare = (count: number, slots: number): boolean => count * RARE < slots

/** The posting of bits, as a list if that is smaller: then tests and pages are faster, too. */
export function toPosting(bits: Bits, slots: number): Posting {
  const count = countBits(bits)
  return isRare(count, slots) ? fromList(listBits(bits, count)) : fromBits(bits, count)
}

/** Appends the last slot of an index with this many slots. Appending it again changes nothing. */
export function append(posting: Posting, slot: number, slots: number): void {
  const { count, list, bits } = posting
  if (list ? count > 0 && list[count - 1] === slot : hasBit(bits as Bits, slot) === 1) return
  posting.count++
  if (!list) posting.bits = withBit(bits as Bits, slot)
  else if (count < list.length) list[count] = slot
  else if (count < SHORTEST_BITS || isRare(count, slots)) {
    posting.list = resize(list, count + (count >>> 1) + 1)
    posting.list[count] = slot
  } else {
    posting.bits = withBit(toBits({ ...posting, count }, slots), slot)
    posting.list = undefined
  }
}

function withBit(bits: Bits, slot: number): Bits {
  const word = slot >>> 5
  const longer = word < bits.length ? bits : resize(bits, word + (word >>> 4) + 1)
  setBit(longer, slot)
  return longer
}

export const slotsOf = ({ list, bits, count }: Posting): Uint32Array =>
  list ? (list.length === count ? list : list.subarray(0, count)) : listBits(bits as Bits, count)

export function includes({ list, bits, count }: Posting, slot: number): boolean {
  if (bits) return slot >>> 5 < bits.length && hasBit(bits, slot) === 1
  return list !== undefined && list[countWhile(count, (at) => (list[at] as number) < slot)] === slot
}

export function addTo(bits: Bits, { list, bits: own, count }: Posting): void {
  if (own) uniteBits(bits, own)
  else for (let at = 0; list && at < count; at++) setBit(bits, list[at] as number)
}

/** The bits of a posting, in an index with this many slots. */
export function copyBits(posting: Posting, slots: number): Bits {
  const bits = createBits(slots)
  addTo(bits, posting)
  return bits
}

/** They must not be changed: they can be those of the index. */
export const toBits = (posting: Posting, slots: number): Bits => posting.bits ?? copyBits(posting, slots)

/** Keeps the slots of a list that the bits have. Writes them into `to`. */
export function filterList(from: Uint32Array, bits: Bits, to: Uint32Array): Uint32Array {
  let length = 0
  for (let at = 0; at < from.length; at++) {
    const slot = from[at] as number
    to[length] = slot
    length += slot >>> 5 < bits.length ? hasBit(bits, slot) : 0
  }
  return to.subarray(0, length)
}

/** How many slots of `bits` the posting has. */
export function countIn(bits: Bits, { list, bits: own, count }: Posting): number {
  if (own) return countCommonBits(bits, own)
  let common = 0
  for (let at = 0; list && at < count; at++) common += hasBit(bits, list[at] as number)
  return common
}
