import { editDistance } from './edit-distance.ts'
import { quote } from './quote.ts'

/** A received name that is not one of the known ones, as a sentence: with the most similar known name, or else with known names. */
export function describeUnknown(noun: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `${quote(name)} is not a known ${noun}: did you mean ${nearest}?`
  if (known.length === 0) return `${quote(name)} is not a known ${noun}: there is none here.`
  const more = known.length > MOST_LISTED ? ', and others' : ''
  return `${quote(name)} is not a known ${noun}: use ${known.slice(0, MOST_LISTED).join(', ')}${more}.`
}

const MOST_LISTED = 14
const MOST_DISTANT = 3

/** Longer names than this resemble no known one. */
const LONGEST = 60

export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const given = name.toLowerCase()
  let nearest: string | undefined
  let most = MOST_DISTANT
  for (const each of known) {
    const distance = editDistance(given, each, most)
    // Half of the characters must be the same.
    if (distance > Math.min(most, each.length / 2)) continue
    nearest = each
    most = distance - 1
  }
  return nearest
}
