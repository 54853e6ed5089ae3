import { editDistance } from '../basics/text/nearest-name.ts'
import { listBits } from './bits.ts'
import { encodeWord, nameAt, trigramsOf } from './names.ts'
import type { PassportIndex } from './passport-index.ts'
import { includes, type Posting, slotsOf } from './posting.ts'

/** A text with more words is not corrected. */
const MOST_WORDS = 6
const MOST_COMPARED = 500
const MOST_SUGGESTIONS = 3

/** One edit changes at most three trigrams of a word. */
const TRIGRAMS_PER_EDIT = 3

/** Shorter words have too many similar words. */
const mostEditsOf = ({ length }: string): number => (length < 4 ? 0 : length < 7 ? 1 : 2)

/**
 * Finds words of names that a folded text may be a misspelling of, the most similar first: one name has a word like each word of the
 * text. It compares the names of `among` that have the most trigrams of the text.
 */
export function findNearMisses(index: PassportIndex, text: string, among: Posting): string[] {
  const words = text.split(' ')
  const comparisons = words.map(createComparison)
  const mostEdits = comparisons.reduce((sum, comparison) => sum + comparison.mostEdits, 0)
  if (words.length > MOST_WORDS || mostEdits === 0) return []
  const trigrams = [...new Set(words.flatMap((word) => trigramsOf(encodeWord(word))))]
  const shared = countTrigrams(index, trigrams)
  const suggestions = new Map<string, number>()
  const least = Math.max(1, trigrams.length - TRIGRAMS_PER_EDIT * mostEdits)
  let compared = 0
  for (let most = trigrams.length; most >= least && suggestions.size < MOST_SUGGESTIONS; most--)
    for (let slot = shared.indexOf(most); slot !== -1; slot = shared.indexOf(most, slot + 1)) {
      if (!includes(among, slot)) continue
      if (compared++ === MOST_COMPARED) return sortByEdits(suggestions)
      const nearest = findNearest(comparisons, splitName(nameAt(index.names, slot)))
      if (nearest && !suggestions.has(nearest.text)) suggestions.set(nearest.text, nearest.edits)
    }
  return sortByEdits(suggestions)
}

const sortByEdits = (suggestions: ReadonlyMap<string, number>): string[] =>
  [...suggestions]
    .sort(([, one], [, other]) => one - other)
    .slice(0, MOST_SUGGESTIONS)
    .map(([text]) => text)

/** For each slot, how many of the trigrams its name has. */
function countTrigrams({ count, names }: PassportIndex, trigrams: readonly number[]): Uint8Array {
  const counts = new Uint8Array(count)
  for (const trigram of trigrams) {
    const posting = names.trigrams.get(trigram)
    if (!posting) continue
    const slots = posting.list
      ? slotsOf(posting.list, posting)
      : listBits(posting.bits as Int32Array, posting.count)
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] as number
      counts[slot] = (counts[slot] as number) + 1
    }
  }
  return counts
}

const splitName = (name: string): string[] => name.split(/[^\p{L}\p{M}\p{N}]+/u)

type Suggestion = { text: string; edits: number }

type Comparison = { mostEdits: number; distanceTo: (part: string) => number }

/** Names have the same words again and again, so the distance to each is calculated once. */
function createComparison(word: string): Comparison {
  const known = new Map<string, number>()
  const mostEdits = mostEditsOf(word)
  const distanceTo = (part: string) =>
    known.getOrInsertComputed(part, () => editDistance(word, part, mostEdits))
  return { mostEdits, distanceTo }
}

/** The most similar part of a name for each word; `undefined` if one has no similar part. */
function findNearest(comparisons: readonly Comparison[], parts: readonly string[]): Suggestion | undefined {
  const found: string[] = []
  let edits = 0
  for (const { mostEdits, distanceTo } of comparisons) {
    const distances = parts.map(distanceTo)
    const least = Math.min(...distances)
    if (least > mostEdits) return undefined
    found.push(parts[distances.indexOf(least)] as string)
    edits += least
  }
  return { text: found.join(' '), edits }
}
