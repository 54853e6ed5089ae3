import { quote } from './quote.ts'

/** Returns a sentence about an unknown name: with the most similar known name, or else with a list of known names. */
export function describeUnknown(noun: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `${quote(name)} is not a known ${noun}: did you mean ${nearest}?`
  if (known.length === 0) return `${quote(name)} is not a known ${noun}: there is none here.`
  const more = known.length > MOST_LISTED ? ', and others' : ''
  return `${quote(name)} is not a known ${noun}: use ${known.slice(0, MOST_LISTED).join(', ')}${more}.`
}

const MOST_LISTED = 14
const MOST_DISTANT = 3

/** Longer names get no suggestion. */
const LONGEST = 60

/**
 * Finds the known phrases with a word that begins with a text of three or more characters, or else the most similar ones to
 * a text of five or more: in each word, three of four characters must be the same. Results are kept, because a parser
 * asks for a text repeatedly.
 */
export function createSpelling<T extends { phrase: string }>(known: readonly T[]) {
  const phrases = known.map(({ phrase }) => phrase)
  const found = new Map<string, T[] | undefined>()
  const find = (text: string) => {
    const begun = text.length > 2 ? phrases.find((phrase) => ` ${phrase}`.includes(` ${text}`)) : undefined
    const most = text.length > 4 ? Math.floor(text.length / 4) : 0
    const nearest = begun ?? nearestName(text, phrases.filter(hasSimilarWords(text)), most)
    return nearest === undefined ? undefined : known.filter(({ phrase }) => phrase === nearest)
  }
  return (text: string) => found.getOrInsertComputed(text, find)
}

/** Whether each word is similar. A single word may stand for several: "kapetown" for "cape town". */
const hasSimilarWords = (text: string) => (other: string) => {
  const [words, others] = [text.split(' '), other.split(' ')]
  const isSimilar = (word: string, at: number) => {
    const most = Math.floor(word.length / 4)
    return editDistance(word, others[at] as string, most) <= most
  }
  return words.length === 1 || (words.length === others.length && words.every(isSimilar))
}

export function nearestName(
  name: string,
  known: readonly string[],
  limit = MOST_DISTANT,
): string | undefined {
  if (name.length > LONGEST) return undefined
  const given = name.toLowerCase()
  let nearest: string | undefined
  let most = limit
  for (const each of known) {
    const distance = editDistance(given, each, most)
    // Half of the characters must be the same.
    if (distance > Math.min(most, each.length / 2)) continue
    nearest = each
    most = distance - 1
  }
  return nearest
}

/** The edit distance of two texts, or `most + 1` if it is larger than `most`. Two swapped characters are one edit. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  let before = row
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++) {
      const changed = (row[to] as number) + Number(one[at] !== other[to])
      const isSwapped = at > 0 && to > 0 && one[at] === other[to - 1] && one[at - 1] === other[to]
      const swapped = isSwapped ? (before[to - 1] as number) + 1 : changed
      next.push(Math.min(changed, swapped, (row[to + 1] as number) + 1, (next[to] as number) + 1))
    }
    // Later rows have no smaller numbers.
    if (Math.min(...next) > most) return most + 1
    before = row
    row = next
  }
  return Math.min(row.at(-1) as number, most + 1)
}
