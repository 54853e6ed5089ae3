/**
 * A set of small numbers, one bit for each. The words are signed: JavaScriptCore represents unsigned words above 2^31 as doubles,
 * which takes twice as long.
 */
export type Bits = Int32Array

/** A word has 32 bits: `number >>> 5` is the word of a number, and `number & 31` its bit. */
export const wordsFor = (numbers: number): number => (numbers + 31) >>> 5

export const createBits = (numbers: number): Bits => new Int32Array(wordsFor(numbers))

export function setBit(bits: Bits, number: number): void {
  bits[number >>> 5] = (bits[number >>> 5] as number) | (1 << (number & 31))
}

export function clearBit(bits: Bits, number: number): void {
  bits[number >>> 5] = (bits[number >>> 5] as number) & ~(1 << (number & 31))
}

/** Returns a number, so that a loop can add it instead of branching. */
export const hasBit = (bits: Bits, number: number): 0 | 1 =>
  (((bits[number >>> 5] as number) >>> (number & 31)) & 1) as 0 | 1

/** Keeps the numbers that both have. `other` can be shorter: it has none behind its end. */
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

/** Adds the numbers below `end` that `other`, which is as long, does not have. */
export function uniteOthers(bits: Bits, other: Bits, end: number): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | ~(other[at] as number)
  const used = end & 31
  if (used > 0) bits[bits.length - 1] = (bits.at(-1) as number) & ((1 << used) - 1)
}

export const countBits = (bits: Bits): number => countCommonBits(bits, bits)

/** A byte holds the sum of the ones in this many bytes. */
const WORDS_PER_SUM = 31

export function countCommonBits(bits: Bits, other: Bits): number {
  const shared = Math.min(bits.length, other.length)
  let count = 0
  for (let at = 0; at < shared; ) {
    const end = Math.min(at + WORDS_PER_SUM, shared)
    let sums = 0
    for (; at < end; at++) sums = (sums + countInBytes((bits[at] as number) & (other[at] as number))) | 0
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24)
  }
  return count
}

/** Counts the ones of each byte: first those of pairs of bits, then those of four. */
function countInBytes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return (fours + (fours >>> 4)) & 0x0f0f0f0f
}

/** The numbers in ascending order. `count` is how many there are. */
export function listBits(bits: Bits, count = countBits(bits)): Uint32Array {
  const numbers = new Uint32Array(count)
  let length = 0
  for (let at = 0; at < bits.length; at++)
    // `word & -word` is the lowest bit of a word, and `word & (word - 1)` is the word without it.
    for (let word = bits[at] as number; word !== 0; word &= word - 1)
      numbers[length++] = (at << 5) + 31 - Math.clz32(word & -word)
  return numbers
}

type Numbers = Int32Array | Uint32Array | Float64Array | Uint8Array
type Constructor<T> = new (from: number | ArrayBufferLike) => T

/** Shorter arrays are copied, because the runtime keeps them without a buffer. */
const SHORTEST_BUFFER = 4096

/**
 * Makes an array longer. The buffer of a long one is freed at once, not by a later garbage collection: this saves a build of
 * the index 200 MB at a million passports. Nothing may use the old array after that.
 */
export function lengthen<T extends Numbers>(from: T, length: number): T {
  const create = from.constructor as Constructor<T>
  if (from.byteLength >= SHORTEST_BUFFER && from.byteLength === from.buffer.byteLength)
    return new create((from.buffer as ArrayBuffer).transfer(length * from.BYTES_PER_ELEMENT))
  const longer = new create(length)
  longer.set(from)
  return longer
}
