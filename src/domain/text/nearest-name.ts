import { editDistance } from './edit-distance.ts'
import { quote } from './quote.ts'

/** A received name that is not one of the known ones, as a sentence: with the most similar known name, and all known names. */
export function describeUnknown(noun: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const advice = nearest === undefined ? '' : ` did you mean ${nearest}?`
  return `${quote(name)} is not a known ${noun}:${advice} Known are ${known.join(', ')}.`
}

/** Longer names than this resemble no known one. */
const LONGEST = 60

function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const distances = known.map((each) => ({ each, distance: editDistance(name.toLowerCase(), each) }))
  const [best] = distances.sort((one, other) => one.distance - other.distance)
  return best && best.distance <= Math.max(2, best.each.length / 2) ? best.each : undefined
}
