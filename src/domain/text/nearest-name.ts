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

/** Longer names than this resemble no known one. */
const LONGEST = 60

function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const distances = known.map((each) => ({ each, distance: editDistance(name.toLowerCase(), each) }))
  const [best] = distances.sort((one, other) => one.distance - other.distance)
  return best && best.distance <= Math.max(2, best.each.length / 2) ? best.each : undefined
}
