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

export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const lower = name.toLowerCase()
  let nearest: string | undefined
  let most = MOST_DISTANT
  for (const candidate of known) {
    const distance = editDistance(lower, candidate, most)
    // Half of the characters must be the same.
    if (distance > Math.min(most, candidate.length / 2)) continue
    nearest = candidate
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
