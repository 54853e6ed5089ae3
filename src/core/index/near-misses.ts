import { type Bits, createBits, intersectBits, listBits, subtractBits } from '../basics/bits.ts'
import { editDistance } from '../basics/text/nearest-name.ts'
import { encodeWord, type Names, nameAt, splitName, trigramsOf } from './names.ts'
import type { PassportIndex } from './passport-index.ts'
import { copyBits, type Posting, toBits } from './posting.ts'

/** A text with more words is not corrected. */
const MOST_WORDS = 4
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
export function findNearMisses(index: PassportIndex, text: string, among: Posting): string[] {
  const words = text.split(' ')
  const mostEdits = words.reduce((sum, word) => sum + mostEditsOf(word), 0)
  if (words.length > MOST_WORDS || mostEdits === 0) return []
  const comparisons = words.map(createComparison)
  const edits = new Map<string, number>()
  for (const slot of listCandidates(index, words, TRIGRAMS_PER_EDIT * mostEdits, among)) {
    const parts = splitName(nameAt(index.names, slot))
    const nearest = comparisons.map((editsOf) =>
      parts.reduce((best, part) => (editsOf(part) < editsOf(best) ? part : best)),
    )
    const sum = comparisons.reduce((sum, editsOf, at) => sum + editsOf(nearest[at] as string), 0)
    if (sum < Number.POSITIVE_INFINITY) edits.set(nearest.join(' '), sum)
  }
  const sorted = [...edits].sort(([, one], [, other]) => one - other)
  return sorted.slice(0, MOST_SUGGESTIONS).map(([similar]) => similar)
}

/** The slots whose names have the most trigrams of the words, and lack at most some. */
function* listCandidates(
  { count, names }: PassportIndex,
  words: readonly string[],
  mostMissing: number,
  among: Posting,
): Generator<number> {
  const trigrams = new Set(words.flatMap((word) => trigramsOf(encodeWord(word))))
  const digits = countTrigrams(names.trigrams, trigrams, count)
  let listed = 0
  for (let most = trigrams.size; most >= Math.max(1, trigrams.size - mostMissing); most--) {
    const candidates = copyBits(among, count)
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
function countTrigrams(known: Names['trigrams'], trigrams: ReadonlySet<number>, slots: number): Bits[] {
  const digits = Array.from({ length: 32 - Math.clz32(trigrams.size) }, () => createBits(slots))
  for (const trigram of trigrams) {
    const posting = known.get(trigram)
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
  const known = new Map<string, number>()
  const most = mostEditsOf(word)
  const compare = (part: string) => {
    const edits = editDistance(word, part, most)
    return edits > most ? Number.POSITIVE_INFINITY : edits
  }
  return (part) => known.getOrInsertComputed(part, compare)
}
