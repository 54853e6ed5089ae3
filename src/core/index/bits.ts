/**
 * One bit for each slot. The words are signed: JavaScriptCore represents unsigned words above 2^31 as doubles, which takes
 * twice as long.
 */
export type Bits = Int32Array

/** Slots per word are 32: `slot >>> 5` is the word of a slot, and `slot & 31` its bit. */
export const wordsFor = (slots: number): number => (slots + 31) >>> 5

export const createBits = (slots: number): Bits => new Int32Array(wordsFor(slots))

export function setBit(bits: Bits, slot: number): void {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
}

export function clearBit(bits: Bits, slot: number): void {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) & ~(1 << (slot & 31))
}

/** Returns a number, so that a loop can add it instead of branching. */
export const hasBit = (bits: Bits, slot: number): 0 | 1 =>
  (((bits[slot >>> 5] as number) >>> (slot & 31)) & 1) as 0 | 1

/** Keeps the bits that both have. `other` can be shorter: it has no slot behind its end. */
export function intersectBits(bits: Bits, other: Bits): void {
  const shared = Math.min(bits.length, other.length)
  for (let at = 0; at < shared; at++) bits[at] = (bits[at] as number) & (other[at] as number)
  bits.fill(0, shared)
}

export function uniteBits(bits: Bits, other: Bits): void {
  const shared = Math.min(bits.length, other.length)
  for (let at = 0; at < shared; at++) bits[at] = (bits[at] as number) | (other[at] as number)
}

export function subtractBits(bits: Bits, other: Bits): void {
  const shared = Math.min(bits.length, other.length)
  for (let at = 0; at < shared; at++) bits[at] = (bits[at] as number) & ~(other[at] as number)
}

/** Adds the first `slots` slots that `other`, which is as long, does not have. */
export function uniteOthers(bits: Bits, other: Bits, slots: number): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | ~(other[at] as number)
  // The last word has bits of slots that do not exist.
  const used = slots & 31
  if (used > 0) bits[bits.length - 1] = (bits.at(-1) as number) & ((1 << used) - 1)
}

export const countBits = (bits: Bits): number => countCommonBits(bits, bits)

export function countCommonBits(bits: Bits, other: Bits): number {
  const shared = Math.min(bits.length, other.length)
  let count = 0
  for (let at = 0; at < shared; at++) {
    const word = (bits[at] as number) & (other[at] as number)
    if (word !== 0) count += countOnes(word)
  }
  return count
}

/** Adds neighbours: first single bits, then pairs, then groups of four; the product adds the four bytes in its highest one. */
function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The slots of all bits, ascending. `count` is the number of bits. */
export function listBits(bits: Bits, count: number): Uint32Array {
  const slots = new Uint32Array(count)
  let length = 0
  for (let at = 0; at < bits.length; at++)
    // `word & -word` is the lowest bit of a word, and `word & (word - 1)` is the word without it.
    for (let word = bits[at] as number; word !== 0; word &= word - 1)
      slots[length++] = (at << 5) + 31 - Math.clz32(word & -word)
  return slots
}
