import { parseDuration } from '../domain/text/duration.ts'
import { parseInstant } from '../domain/text/instant.ts'
import { ANONYMOUS, EXPLORER, PICTURES, type Tier } from '../domain/tier.ts'

export const LONGEST_NAME = 100
const LONGEST_OWNER = 254
const LONGEST_GRACE = 366 * 86_400_000

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export function parseName(text: string): string | undefined {
  const name = text.trim()
  return name === '' || name.length > LONGEST_NAME || CONTROLS.test(name) ? undefined : name
}

/** Empty for a key without an owner. */
export function parseOwner(text: string): string | undefined {
  const owner = text.trim()
  const isAddress = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+\.[^\s@.,;<>()"]+$/.test(owner)
  return owner === '' || (isAddress && owner.length <= LONGEST_OWNER && !CONTROLS.test(owner))
    ? owner
    : undefined
}

/** `null` for a key that never expires. */
export const parseExpiry = (text: string) =>
  text.trim().toLowerCase() === 'never' ? null : parseInstant(text)

/** In milliseconds. */
export function parseGrace(text: string): number | undefined {
  const length = text === '0' ? 0 : parseDuration(text)
  return length !== undefined && length <= LONGEST_GRACE ? length : undefined
}

/** Excludes the tiers of clients without a key. */
export const selectableTiers = (tiers: readonly Tier[]) =>
  tiers.map(({ name }) => name).filter((name) => ![ANONYMOUS, EXPLORER, PICTURES].includes(name))
