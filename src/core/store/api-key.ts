/** A stored API key. The key itself is shown once, when it is created, and never stored. */
export type ApiKey = {
  /** The public part of the key; operators use it to name the key. */
  id: string
  name: string
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  tier: string
  /** An e-mail address, or empty. */
  owner: string
  createdAt: number
  expiresAt?: number
  revokedAt?: number
  /** The time of the last request. It is saved a few seconds later. */
  lastUsedAt?: number
  successor?: string
  scopes: readonly Scope[]
  /** A publishable key is accepted only from pages with one of these origins. A secret key has none. */
  origins: readonly string[]
  /** The types that the issuer of the key may write, besides those that the rule set gives the issuer. */
  types: readonly string[]
  /** Whether the secret key was sent with an `Origin` header: a page in a browser has it. */
  isSeenInBrowser?: true
}

/** What a key permits. `write:NAME` writes data points of the issuer NAME; `write:*` writes everything. */
export type Scope = 'read' | 'events' | `write:${string}`

export const DEFAULT_SCOPES: readonly Scope[] = ['read']

/** The name of an issuer has 1 to 32 characters. */
export const isScope = (text: string): text is Scope =>
  /^(?:read|events|write:(?:\*|[a-z0-9][a-z0-9_-]{0,31}))$/.test(text)

/** Everyone who opens a page can copy the publishable key in it. */
export const isPublishable = ({ origins }: Pick<ApiKey, 'origins'>): boolean => origins.length > 0

export const DEFAULT_TIER = 'standard'

const ID_BYTES = 5
const SECRET_BYTES = 32
export const KEY_RANDOM_BYTES = ID_BYTES + SECRET_BYTES

/** A key has a prefix that people and secret scanners recognise, its public id and 256 random bits. */
export function formatKey(random: Uint8Array, prefix: 'ppd' | 'ppdp' = 'ppd'): { id: string; key: string } {
  const id = random.subarray(0, ID_BYTES).toHex()
  return { id, key: `${prefix}_${id}_${random.subarray(ID_BYTES).toHex()}` }
}

export function parseKeyId(key: string): string | undefined {
  return /^ppdp?_([0-9a-f]{10})_[0-9a-f]{64}$/.exec(key)?.[1]
}

export function keyState(key: ApiKey, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active'
}
