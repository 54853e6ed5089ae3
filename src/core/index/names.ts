import { type Bits, createBits, intersectBits, listBits, resize, subtractBits } from '../basics/bits.ts'
import { editDistance } from '../basics/text/nearest-name.ts'
import { addTo, append, createPosting, fromBits, fromList, type Posting, slotsOf, toBits } from './posting.ts'

/** The folded names of all slots. */
export type Names = {
  /** UTF-8. A line feed precedes each name and follows the last one; folded text has none. */
  bytes: Uint8Array
  /** The offset of each name, and the offset after the line feed that follows the last one. */
  starts: Uint32Array
  /**
   * The slots of each three bytes of names, by the number of the bytes. The line feeds beside a name count, so that
   * each byte of a name is in a trigram, even if the name is one byte long.
   */
  trigrams: Map<number, Posting>
}

const LINE_FEED = 10
const encoder = new TextEncoder()

export const createNames = (): Names => ({
  bytes: Uint8Array.of(LINE_FEED),
  starts: Uint32Array.of(1),
  trigrams: new Map(),
})

/** Adds the name of the next slot, for which `starts` has room. */
export function addName(names: Names, slot: number, name: string): void {
  const start = names.starts[slot] as number
  // A UTF-16 unit takes at most three bytes of UTF-8.
  const most = start + 3 * name.length + 1
  if (most > names.bytes.length) names.bytes = resize(names.bytes, most + (most >>> 3))
  const { bytes, trigrams } = names
  const end = start + encoder.encodeInto(name, bytes.subarray(start)).written
  bytes[end] = LINE_FEED
  names.starts[slot + 1] = end + 1
  for (let at = start - 1; at + 2 <= end; at++)
    append(trigrams.getOrInsertComputed(trigramAt(bytes, at), createPosting), slot, slot + 1)
}

/** Overwrites the name of a removed passport. Its trigrams stay until the index is built again. */
export const eraseName = ({ bytes, starts }: Names, slot: number): void =>
  void bytes.fill(LINE_FEED, starts[slot], (starts[slot + 1] as number) - 1)

export const nameAt = ({ bytes, starts }: Names, slot: number): string =>
  decoder.decode(bytes.subarray(starts[slot], (starts[slot + 1] as number) - 1))

const decoder = new TextDecoder()

export const encodeWord = (word: string): Uint8Array => encoder.encode(word)

const trigramAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)

/** The different trigrams of a word, without line feeds. */
export const trigramsOf = (word: Uint8Array): number[] => [
  ...new Set(Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => trigramAt(word, at))),
]

/** Words of at most this many bytes are found by trigrams alone. */
const LONGEST_EXACT = 3

/** More trigrams leave out few names: to compare these takes less time. */
const MOST_TRIGRAMS = 3

/** All slots whose name contains the word have all of these postings. `slots`: how many slots there are. */
export function postingsOfWord({ trigrams }: Names, word: Uint8Array, slots: number): Posting[] {
  if (word.length >= LONGEST_EXACT)
    return trigramsOf(word)
      .map((trigram) => trigrams.get(trigram) ?? fromList(new Uint32Array(0)))
      .sort((a, b) => a.count - b.count)
      .slice(0, MOST_TRIGRAMS)
  const isIn = (name: readonly number[]) =>
    name.some((_, at) => word.every((byte, place) => name[at + place] === byte))
  const bits = createBits(slots)
  for (const [trigram, posting] of trigrams)
    if (isIn([trigram >>> 16, (trigram >>> 8) & 0xff, trigram & 0xff])) addTo(bits, posting)
  return [fromBits(bits)]
}

/** Keeps the slots whose names contain all words, of those that have all their trigrams. */
export function filterByNames(names: Names, words: readonly Uint8Array[], posting: Posting): Posting {
  const long = words.filter(({ length }) => length > LONGEST_EXACT)
  return long.reduce((slots, word) => fromList(filterByWord(names, word, slotsOf(slots))), posting)
}

function filterByWord({ bytes, starts }: Names, word: Uint8Array, slots: Uint32Array): Uint32Array {
  const matches = new Uint32Array(slots.length)
  let length = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    const end = (starts[slot + 1] as number) - word.length
    for (let place = starts[slot] as number; place < end; place++) {
      let same = 0
      while (same < word.length && bytes[place + same] === word[same]) same++
      if (same < word.length) continue
      matches[length++] = slot
      break
    }
  }
  return matches.subarray(0, length)
}

export const splitName = (name: string): string[] => name.split(/[^\p{L}\p{M}\p{N}]+/u)

/** A text with more words is not corrected. */
const MOST_CORRECTED = 4
const MOST_COMPARED = 500
const MOST_SUGGESTIONS = 3

/** One edit changes at most three trigrams of a word. */
const TRIGRAMS_PER_EDIT = 3

/** Shorter words have too many similar words. */
const mostEditsOf = ({ length }: string): number => (length < 4 ? 0 : length < 7 ? 1 : 2)

/**
 * Finds words of names that a folded text may be a misspelling of, the most similar first: one name has a word like
 * each word of the text. It compares the names of `among` that have the most trigrams of the text.
 */
export function findNearMisses(names: Names, text: string, among: Bits): string[] {
  const words = text.split(' ')
  const mostEdits = words.reduce((sum, word) => sum + mostEditsOf(word), 0)
  if (words.length > MOST_CORRECTED || mostEdits === 0) return []
  const comparisons = words.map(createComparison)
  const edits = new Map<string, number>()
  for (const slot of listCandidates(names.trigrams, words, TRIGRAMS_PER_EDIT * mostEdits, among)) {
    const parts = splitName(nameAt(names, slot))
    const nearest = comparisons.map((editsOf) =>
      parts.reduce((best, part) => (editsOf(part) < editsOf(best) ? part : best)),
    )
    const sum = comparisons.reduce((sum, editsOf, at) => sum + editsOf(nearest[at] as string), 0)
    if (sum < Number.POSITIVE_INFINITY) edits.set(nearest.join(' '), sum)
  }
  const sorted = [...edits].sort(([, a], [, b]) => a - b)
  return sorted.slice(0, MOST_SUGGESTIONS).map(([similar]) => similar)
}

type Trigrams = Names['trigrams']

/** The slots whose names have the most trigrams of the words, and lack at most some. */
function* listCandidates(all: Trigrams, words: string[], mostMissing: number, among: Bits) {
  const trigrams = new Set(words.flatMap((word) => trigramsOf(encodeWord(word))))
  const digits = countTrigrams(all, trigrams, 32 * among.length)
  let listed = 0
  for (let most = trigrams.size; most >= Math.max(1, trigrams.size - mostMissing); most--) {
    const candidates = among.slice()
    for (const [at, digit] of digits.entries())
      if (((most >>> at) & 1) === 1) intersectBits(candidates, digit)
      else subtractBits(candidates, digit)
    for (const slot of listBits(candidates)) {
      if (listed++ === MOST_COMPARED) return
      yield slot
    }
  }
}

/** How many of the trigrams the name of each slot has: for each binary digit of the number, the slots that have it. */
function countTrigrams(all: Trigrams, trigrams: ReadonlySet<number>, slots: number): Bits[] {
  const digits = Array.from({ length: 32 - Math.clz32(trigrams.size) }, () => createBits(slots))
  for (const trigram of trigrams) {
    const posting = all.get(trigram)
    const added = posting ? toBits(posting, slots) : []
    for (let at = 0; at < added.length; at++) {
      let carried = added[at] as number
      for (let place = 0; carried !== 0; place++) {
        const digit = digits[place] as Bits
        const before = digit[at] as number
        digit[at] = before ^ carried
        carried &= before
      }
    }
  }
  return digits
}

/** The edits from a word to a part of a name, if they are few. Names have the same parts again and again. */
function createComparison(word: string): (part: string) => number {
  const edits = new Map<string, number>()
  const most = mostEditsOf(word)
  const compare = (part: string) => {
    const distance = editDistance(word, part, most)
    return distance > most ? Number.POSITIVE_INFINITY : distance
  }
  return (part) => edits.getOrInsertComputed(part, compare)
}
