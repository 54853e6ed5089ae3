import { parseDuration } from '../../core/basics/text/duration.ts'
import { parseInstant } from '../../core/basics/text/instant.ts'
import { parseOrigin } from '../../core/basics/url.ts'
import {
  DATABASE_OPTIONS,
  invalidValue,
  JSON_OPTION,
  UsageError,
  type Values,
} from '../../core/cli/command.ts'
import { ANONYMOUS, EXPLORER, PICTURES, type Tier } from '../../core/config/rate-limit-tier.ts'
import { type ApiKey, isScope, type Scope } from '../../core/store/api-key.ts'

const LONGEST_NAME = 100
const LONGEST_OWNER = 254
const LONGEST_GRACE = 366 * 86_400_000

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const SCOPES =
  'read, events, write:* (everything) and write:NAME (data points of the issuer NAME: a-z, 0-9, _ and -, at most 32)'

export const KEY_OPTIONS = {
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
  scope: {
    placeholder: 'LIST',
    parse: parseScopes,
    about: `what the key permits, by default read: ${SCOPES}`,
  },
  types: {
    placeholder: 'LIST',
    accepts: 'a comma-separated list of types of data points without blanks, such as github_commits',
    parse: parseTypes,
    about:
      'types that a key with write:NAME may write, besides those that the rule set gives NAME; "" for none',
  },
  publishable: { about: 'create a key for web pages, which anyone may see; --origin names the pages' },
  origin: {
    placeholder: 'LIST',
    accepts:
      'a comma-separated list of origins such as https://app.example.com:8443, without a path or wildcard; http only for localhost',
    parse: parseOrigins,
    about: 'origins of the pages that may send a publishable key, such as https://app.example.com',
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

export type KeyValues = Values<typeof KEY_OPTIONS>

type Grants = Pick<ApiKey, 'scopes' | 'origins' | 'types'>

/** Throws if a key must not have these scopes, origins and types together. */
export function checkGrants({ scopes, origins, types }: Grants, isPublishable: boolean): void {
  if (isPublishable && origins.length === 0)
    throw new UsageError('--publishable needs --origin LIST: the origins of the pages that may send the key.')
  if (!isPublishable && origins.length > 0)
    throw new UsageError('--origin is only for publishable keys: create one with --publishable.')
  if (isPublishable && scopes.some((scope) => scope !== 'read'))
    throw invalidValue('--scope must be read for a publishable key, which anyone can copy', scopes.join(','))
  if (types.length > 0 && !scopes.some((scope) => scope.startsWith('write:') && scope !== 'write:*'))
    throw new UsageError(
      '--types is only for keys with the scope write:NAME: remove the types with --types "".',
    )
}

function parseName(text: string): string | undefined {
  const name = text.trim()
  return name === '' || name.length > LONGEST_NAME || CONTROLS.test(name) ? undefined : name
}

/** An empty text means no owner. */
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

function parseGrace(text: string): number | undefined {
  const length = text === '0' ? 0 : parseDuration(text)
  return length !== undefined && length <= LONGEST_GRACE ? length : undefined
}

export function parseTier(text: string, tiers: readonly Tier[]): string {
  const withoutKey = [ANONYMOUS, EXPLORER, PICTURES]
  const names = tiers.map(({ name }) => name).filter((name) => !withoutKey.includes(name))
  if (names.includes(text)) return text
  throw invalidValue(`--tier must be one of ${names.join(', ')} (TIERS defines others)`, text)
}

/** Returns the time of --expires, or `null` for never. Throws if the time is past. */
export function futureExpiry({ expires }: KeyValues, now: number): number | null | undefined {
  if (expires === undefined || expires === null || expires > now) return expires
  throw invalidValue('--expires must be in the future', new Date(expires).toISOString())
}

const toList = (text: string) => [...new Set(text.split(',').map((word) => word.trim()))]

function parseScopes(text: string): readonly Scope[] {
  const scopes = toList(text)
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined)
    throw invalidValue(`--scope must be a comma-separated list of ${SCOPES}`, unknown)
  if (scopes.filter((scope) => scope.startsWith('write:')).length > 1)
    throw invalidValue('--scope accepts only one scope that writes', text)
  return scopes.filter(isScope)
}

function parseTypes(text: string): readonly string[] | undefined {
  const types = text.trim() === '' ? [] : toList(text)
  return types.every((type) => /^\S{1,250}$/.test(type)) ? types : undefined
}

function parseOrigins(text: string): readonly string[] | undefined {
  const urls = toList(text).map((origin) => parseOrigin(origin.replace(/\/$/, '')))
  const origins = urls.flatMap((url) => (url && isSafe(url) ? [url.origin] : []))
  return origins.length === urls.length ? [...new Set(origins)] : undefined
}

const isSafe = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
