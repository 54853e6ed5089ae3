import { presentCredential, presentSocial } from './present.ts'
import type { PassportRecord } from './record.ts'
import { MAX_BYTES } from './record-limits.ts'

type Field = keyof typeof MAX_BYTES

const FIELDS = Object.entries(MAX_BYTES) as [Field, number][]

/** The first field that is too large, with a reason. */
export function findOversized(record: PassportRecord): { field: string; reason: string } | undefined {
  for (const [field, most] of FIELDS) {
    // Most fields are far smaller than their limit.
    if (estimate(field, record) <= most) continue
    const bytes = Buffer.byteLength(JSON.stringify(fieldOf(field, record)))
    if (bytes > most) {
      const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
      return { field, reason: `must be at most ${accepted} bytes as JSON, got ${received} bytes` }
    }
  }
  return undefined
}

function fieldOf(field: Field, record: PassportRecord): unknown {
  const { profile, socials, credentials = [], credentialPoints = [] } = record
  switch (field) {
    case 'passport_profile.bio':
      return profile.bio
    case 'passport_profile.display_name':
      return profile.displayName
    case 'passport_profile.location':
      return profile.location
    case 'passport_profile.tags':
      return profile.tags
    case 'image_url':
      return record.imageUrl ?? ''
    case 'verified_wallets':
      return record.verifiedWallets
    case 'passport_socials':
      return socials.map(presentSocial)
    case 'credentials':
      return [...credentials.map(presentCredential), ...credentialPoints]
    case 'data_points':
      return record.dataPoints ?? []
  }
}

/** More bytes than the name of any field, and than any number, time or boolean. */
const NAME_OR_NUMBER = 40

/** A UTF-16 code unit takes at most 6 bytes as JSON. */
const UNIT = 6

/** At least the size of a field. Most bytes of a record are its credentials, so they have a fast path. */
function estimate(field: Field, record: PassportRecord): number {
  if (field !== 'credentials') return mostBytes(fieldOf(field, record))
  let bytes = mostBytes(record.credentialPoints ?? [])
  for (const { id, type, name, category, value } of record.credentials ?? [])
    bytes +=
      15 * NAME_OR_NUMBER + UNIT * (id.length + type.length + name.length + category.length + value.length)
  return bytes
}

/** At least the size of a value as JSON. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return UNIT * value.length + 2
  if (typeof value !== 'object' || value === null) return NAME_OR_NUMBER
  let bytes = NAME_OR_NUMBER
  for (const each of Object.values(value)) bytes += NAME_OR_NUMBER + mostBytes(each)
  return bytes
}
