import type { WireCredential } from '../../domain/record/schemas.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { type CredentialsRow, fromCredentialData, isAsShown } from './credential.ts'
import { type StoredRow, toFullPassport } from './passport.ts'

export const NO_CREDENTIALS: CredentialsRow = { data: '', body: null }

export const MOST_CANDIDATES = 10

/** If more passports have a handle, it is ambiguous even if they are merged into one. */
export const MOST_OWNERS = 32

/** Bytes that one call reads, about: the caller reads the rest in further calls. */
export const MAX_BYTES = 4 * 1024 * 1024

export function toPassportV3(
  row: StoredRow,
  mergedFrom: readonly number[],
  credentials: CredentialsRow | undefined,
): PassportV3 {
  return {
    ...toFullPassport(row, mergedFrom.length > 0),
    mergedFrom: [...mergedFrom].sort((one, other) => one - other),
    rules: row.rules,
    ...(credentials && { credentials: toCredentials(credentials) }),
  }
}

/** The credentials that V1 shows. Their origin is unknown if newer ones wait for the scorer. */
function toCredentials(row: CredentialsRow): NonNullable<PassportV3['credentials']> {
  const { passport_credentials: shown } = JSON.parse(row.body ?? '{"passport_credentials":[]}') as {
    passport_credentials: WireCredential[]
  }
  if (isAsShown(row)) return shown.map((each) => ({ ...each, from: 'record' as const }))
  const stored = new Map(fromCredentialData(row).map(({ id, givenScore }) => [id, givenScore]))
  return shown.map((each) => ({ ...each, from: originOf(stored, each.id) }))
}

const originOf = (stored: ReadonlyMap<string, number | undefined>, id: string) =>
  !stored.has(id) ? undefined : stored.get(id) === undefined ? ('rule' as const) : ('record' as const)
