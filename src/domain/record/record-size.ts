import { MAX_IMAGE_URL_BYTES, type PassportRecord, presentCredential, presentSocial } from './record.ts'

/** The largest JSON of each field in bytes (UTF-8), so that no page of 250 passports exceeds 8 MB in V1 and 12 MB in V2. */
export const MAX_BYTES = {
  'passport_profile.bio': 10_000,
  'passport_profile.display_name': 4000,
  'passport_profile.location': 1000,
  'passport_profile.tags': 6000,
  image_url: MAX_IMAGE_URL_BYTES,
  verified_wallets: 8000,
  passport_socials: 200_000,
  credentials: 400_000,
  data_points: 400_000,
} as const

/** The largest JSON of a passport in a list page of V1. */
export const MAX_LIST_ITEM_BYTES = 32_000

/** The most data points of one passport, from all its records. */
export const MOST_DATA_POINTS = 2000

/** The largest JSON of the credentials of a passport, with those that rules add. */
export const MAX_CREDENTIALS_BYTES = 640_000

type Field = keyof typeof MAX_BYTES

const FIELDS: Record<Field, (record: PassportRecord) => unknown> = {
  'passport_profile.bio': ({ profile }) => profile.bio,
  'passport_profile.display_name': ({ profile }) => profile.displayName,
  'passport_profile.location': ({ profile }) => profile.location,
  'passport_profile.tags': ({ profile }) => profile.tags,
  image_url: ({ imageUrl = '' }) => imageUrl,
  verified_wallets: ({ verifiedWallets }) => verifiedWallets,
  passport_socials: ({ socials }) => socials.map(presentSocial),
  credentials: ({ credentials = [], credentialPoints = [] }) => [
    ...credentials.map(presentCredential),
    ...credentialPoints,
  ],
  data_points: ({ dataPoints = [] }) => dataPoints,
}

/** The first field that is too large, with a reason. */
export function findOversized(record: PassportRecord): { field: string; reason: string } | undefined {
  for (const [field, most] of LIMITS) {
    // Most fields are far smaller than their limit.
    if (estimate(field, record) <= most) continue
    const bytes = Buffer.byteLength(JSON.stringify(FIELDS[field](record)))
    if (bytes > most) {
      const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
      return { field, reason: `must be at most ${accepted} bytes as JSON, got ${received} bytes` }
    }
  }
  return undefined
}

const LIMITS = Object.entries(MAX_BYTES) as [Field, number][]

/** More bytes than the name of any field, and than any number, time or boolean. */
const NAME_OR_NUMBER = 40

/** A UTF-16 code unit takes at most 6 bytes as JSON. */
const UNIT = 6

/** Returns an upper bound of the size of a field. Most bytes of a record are its credentials, so they have a fast path. */
function estimate(field: Field, record: PassportRecord): number {
  if (field !== 'credentials') return mostBytes(FIELDS[field](record))
  let bytes = mostBytes(record.credentialPoints ?? [])
  for (const { id, type, name, category, value } of record.credentials ?? [])
    bytes +=
      15 * NAME_OR_NUMBER + UNIT * (id.length + type.length + name.length + category.length + value.length)
  return bytes
}

/** Returns an upper bound of the size of a value as JSON. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return UNIT * value.length + 2
  if (typeof value !== 'object' || value === null) return NAME_OR_NUMBER
  let bytes = NAME_OR_NUMBER
  for (const each of Object.values(value)) bytes += NAME_OR_NUMBER + mostBytes(each)
  return bytes
}
