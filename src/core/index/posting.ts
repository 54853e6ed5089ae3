import {
  type Bits,
  clearBit,
  countBits,
  countCommonBits,
  createBits,
  hasBit,
  listBits,
  setBit,
  subtractBits,
  uniteBits,
} from './bits.ts'

/**
 * A set of slots: a sorted list if they are rare, or one bit for each slot if at least one slot of 32 is in the set, so that
 * bits are smaller than a list. Slots are appended in ascending order and stay. `list` and `bits` can be longer than needed.
 */
export type Posting = {
  count: number
  list: Uint32Array | undefined
  bits: Bits | undefined
  /** The slot that was appended last. */
  last: number
}

/** A set with fewer than one slot in this many is a list. */
const RARE = 32

/** Short lists are never converted: they would have to be converted again and again while the index grows. */
const SHORTEST_BITS = 1024

export const createPosting = (): Posting => ({
  count: 0,
  list: new Uint32Array(2),
  bits: undefined,
  last: -1,
})

export const fromList = (list: Uint32Array): Posting => ({
  count: list.length,
  list,
  bits: undefined,
  last: -1,
})

export const fromBits = (bits: Bits, count = countBits(bits)): Posting => ({
  count,
  list: undefined,
  bits,
  last: -1,
})

/** The posting of bits, as a list if that is smaller: then tests and pages are faster, too. */
export function toPosting(bits: Bits, slots: number): Posting {
  const count = countBits(bits)
  return isRare(count, slots) ? fromList(listBits(bits, count)) : fromBits(bits, count)
}

export const isRare = (count: number, slots: number): boolean => count * RARE < slots

/** Appends the last slot of an index with this many slots. Appending it again changes nothing. */
export function append(posting: Posting, slot: number, slots: number): void {
  if (posting.last === slot) return
  posting.last = slot
  const { count, list } = posting
  if (list && count === list.length) {
    if (count >= SHORTEST_BITS && !isRare(count, slots)) convertToBits(posting, list)
    else posting.list = lengthen(list, count + (count >>> 1) + 1)
  }
  if (posting.list) posting.list[count] = slot
  else posting.bits = withBit(posting.bits as Bits, slot)
  posting.count++
}

function convertToBits(posting: Posting, list: Uint32Array): void {
  posting.bits = createBits(list.at(-1) as number)
  for (const slot of list) posting.bits = withBit(posting.bits, slot)
  posting.list = undefined
}

function withBit(bits: Bits, slot: number): Bits {
  const word = slot >>> 5
  const longer = word < bits.length ? bits : lengthen(bits, word + (word >>> 2) + 1)
  setBit(longer, slot)
  return longer
}

type Numbers = Int32Array | Uint32Array | Float64Array | Uint8Array

type Constructor<T> = new (from: number | ArrayBufferLike) => T

/** Shorter arrays are copied, because the runtime keeps them without a buffer. */
const SHORTEST_BUFFER = 4096

/**
 * Makes an array longer. The buffer of a long one is freed at once, not by a later garbage collection: this saves a build 200 MB at
 * a million passports. Nothing may use the old array after that.
 */
export function lengthen<T extends Numbers>(from: T, length: number): T {
  const create = from.constructor as Constructor<T>
  const bytes = length * from.BYTES_PER_ELEMENT
  if (from.byteLength >= SHORTEST_BUFFER && from.byteLength === from.buffer.byteLength)
    return new create((from.buffer as ArrayBuffer).transfer(bytes))
  const longer = new create(length)
  longer.set(from)
  return longer
}

/** The slots of a posting that is a list. */
export const slotsOf = (list: Uint32Array, { count }: Posting): Uint32Array =>
  list.length === count ? list : list.subarray(0, count)

export function includes({ list, bits, count }: Posting, slot: number): boolean {
  if (bits) return slot >>> 5 < bits.length && hasBit(bits, slot) === 1
  return list !== undefined && list[countWhile(count, (at) => (list[at] as number) < slot)] === slot
}

export function addTo(bits: Bits, posting: Posting): void {
  const { list, bits: own, count } = posting
  if (own) uniteBits(bits, own)
  else for (let at = 0; list && at < count; at++) setBit(bits, list[at] as number)
}

export function subtractFrom(bits: Bits, posting: Posting): void {
  const { list, bits: own, count } = posting
  if (own) subtractBits(bits, own)
  else for (let at = 0; list && at < count; at++) clearBit(bits, list[at] as number)
}

/** The bits of a posting, in an index with this many slots. They must not be changed: they can be those of the index. */
export function toBits(posting: Posting, slots: number): Bits {
  if (posting.bits) return posting.bits
  const bits = createBits(slots)
  addTo(bits, posting)
  return bits
}

/** Of a sorted list, keeps the slots that the posting has (`isIn` is 1) or has not. Writes the result into `to`. */
export function filterList(from: Uint32Array, posting: Posting, isIn: 0 | 1, to: Uint32Array): Uint32Array {
  const { bits, list, count } = posting
  let kept = 0
  let low = 0
  for (let at = 0; at < from.length; at++) {
    const slot = from[at] as number
    let found = 0
    if (bits) found = slot >>> 5 < bits.length ? hasBit(bits, slot) : 0
    else if (list) {
      // Both lists are sorted, so the next slot is usually near: the steps from the last one double until they are past it.
      let high = low
      for (let step = 1; high < count && (list[high] as number) < slot; step *= 2) {
        low = high + 1
        high += step
      }
      high = Math.min(high, count)
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((list[middle] as number) < slot) low = middle + 1
        else high = middle
      }
      found = Number(low < count && list[low] === slot)
    }
    to[kept] = slot
    kept += Number(found === isIn)
  }
  return to.subarray(0, kept)
}

/** How many slots of `bits` the posting has. */
export function countIn(bits: Bits, { list, bits: own, count }: Posting): number {
  if (own) return countCommonBits(bits, own)
  let common = 0
  for (let at = 0; list && at < count; at++) common += hasBit(bits, list[at] as number)
  return common
}

/** Binary search: the number of leading indexes for which the condition holds. */
export function countWhile(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}
