import { parseDuration } from '../domain/text/duration.ts'
import { parseInstant } from '../domain/text/instant.ts'
import { quote } from '../domain/text/quote.ts'
import { ANONYMOUS, EXPLORER, type Tier } from '../domain/tier.ts'
import { UsageError } from './args.ts'

const LONGEST_NAME = 100
const LONGEST_OWNER = 254

const STEERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export function parseName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > LONGEST_NAME || STEERS.test(name)) {
    throw new UsageError(`--name must be one line of at most ${LONGEST_NAME} characters.`)
  }
  return name
}

/** Empty for a key that is nobody's. */
export function parseOwner(text: string): string {
  const owner = text.trim()
  const looksRight = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+\.[^\s@.,;<>()"]+$/.test(owner)
  if (owner !== '' && (!looksRight || owner.length > LONGEST_OWNER || STEERS.test(owner))) {
    throw new UsageError(`--owner must be an e-mail address, such as ada@example.com, got ${quote(text)}.`)
  }
  return owner
}

export function parseTierName(text: string, tiers: readonly Tier[]): string {
  const names = tiers.map(({ name }) => name).filter((name) => name !== ANONYMOUS && name !== EXPLORER)
  if (names.includes(text)) return text
  throw new UsageError(
    `--tier must be one of ${names.join(', ')}, got ${quote(text)}. TIERS can set up others.`,
  )
}

export function parseExpiry(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const time = parseInstant(text)
  if (time === undefined || time <= now) {
    throw new UsageError(
      `--expires must be a day or an instant to come, such as 2027-01-31, got ${quote(text)}.`,
    )
  }
  return time
}

const LONGEST_GRACE = 366 * 86_400_000

/** In milliseconds. */
export function parseGrace(text: string): number {
  const length = text === '0' ? 0 : parseDuration(text)
  if (length === undefined || length > LONGEST_GRACE) {
    throw new UsageError(
      `--grace must be a time of at most a year, such as 7d, 12h, 30m or 0, got ${quote(text)}.`,
    )
  }
  return length
}
