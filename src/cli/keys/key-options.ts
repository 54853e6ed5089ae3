import { parseDuration } from '../../domain/text/duration.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import type { Tier } from '../../domain/tier.ts'
import type { Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, JSON_OPTION, type Values } from '../command.ts'
import type { Terminal } from '../terminal.ts'

const LONGEST_NAME = 100
const LONGEST_OWNER = 254
const LONGEST_GRACE = 366 * 86_400_000

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export const OPTIONS = {
  name: {
    placeholder: 'NAME',
    accepts: `one line of 1 to ${LONGEST_NAME} characters`,
    parse: parseName,
    about: 'name of the client or person that uses the key',
  },
  tier: { placeholder: 'NAME', about: 'tier of the key: standard, high, unlimited or one of TIERS' },
  owner: {
    placeholder: 'EMAIL',
    accepts: 'an email address, such as ada@example.com',
    parse: parseOwner,
    about: 'contact address; "" for none',
  },
  expires: {
    placeholder: 'DATE',
    accepts: 'a future day or time, such as 2027-01-31, or never',
    parse: parseExpiry,
    about:
      'end of validity: 2027-01-31 (00:00 UTC), 2027-01-31T12:00:00Z or never. A time without an offset is in UTC. A rotated key keeps the date of the old key by default',
  },
  grace: {
    placeholder: 'TIME',
    default: '7d',
    accepts: 'a duration of at most a year, such as 7d, 12h, 30m or 0',
    parse: parseGrace,
    about: 'how long the old key stays valid: 7d, 12h, 30m, 90s; 0 ends it at once',
  },
  active: { about: 'list only keys that are valid' },
  'older-than': {
    placeholder: 'TIME',
    default: '30d',
    accepts: 'a duration, such as 30d or 12h',
    parse: parseDuration,
    about: 'delete keys that were revoked or expired longer ago: 30d, 12h',
  },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export type KeyValues = Values<typeof OPTIONS>

export type KeyTarget = { store: Store; database: string; terminal: Terminal }

type Given = { values: KeyValues; id: string; tiers: readonly Tier[]; now: number }

/** An action checks its options before the database is opened, and returns its task. */
export type KeyAction = (given: Given) => (target: KeyTarget) => Promise<void>

function parseName(text: string): string | undefined {
  const name = text.trim()
  return name === '' || name.length > LONGEST_NAME || CONTROLS.test(name) ? undefined : name
}

/** Empty for a key without an owner. */
function parseOwner(text: string): string | undefined {
  const owner = text.trim()
  const isAddress = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+\.[^\s@.,;<>()"]+$/.test(owner)
  return owner === '' || (isAddress && owner.length <= LONGEST_OWNER && !CONTROLS.test(owner))
    ? owner
    : undefined
}

/** `null` for a key that never expires. */
function parseExpiry(text: string): number | null | undefined {
  return text.trim().toLowerCase() === 'never' ? null : parseInstant(text)
}

/** In milliseconds. */
function parseGrace(text: string): number | undefined {
  const length = text === '0' ? 0 : parseDuration(text)
  return length !== undefined && length <= LONGEST_GRACE ? length : undefined
}
