import type { PassportRecord } from '../domain/record.ts'
import { MAX_BYTES } from '../domain/record-limits.ts'
import { presentCredential, presentSocial } from '../domain/v1/present.ts'

type Field = keyof typeof MAX_BYTES

/** The first field that is too large, with a reason. */
export function findOversized(record: PassportRecord): { field: string; reason: string } | undefined {
  const values = listValues(record)
  for (const field of FIELDS) {
    const most = MAX_BYTES[field]
    // Most fields are far smaller.
    if (mostBytes(values[field]) <= most) continue
    const bytes = Buffer.byteLength(JSON.stringify(present(field, record) ?? values[field]))
    if (bytes > most) {
      const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
      return { field, reason: `must be at most ${accepted} bytes as JSON, got ${received} bytes` }
    }
  }
  return undefined
}

const FIELDS = Object.keys(MAX_BYTES) as Field[]

const listValues = (record: PassportRecord): Record<Field, unknown> => ({
  'passport_profile.bio': record.profile.bio,
  'passport_profile.display_name': record.profile.displayName,
  'passport_profile.location': record.profile.location,
  'passport_profile.tags': record.profile.tags,
  image_url: record.imageUrl ?? '',
  verified_wallets: record.verifiedWallets,
  passport_socials: record.socials,
  credentials: [...(record.credentials ?? []), ...(record.credentialPoints ?? [])],
  data_points: record.dataPoints ?? [],
})

/** The fields that V1 shows in another form. */
function present(field: Field, { socials, credentials = [], credentialPoints = [] }: PassportRecord) {
  if (field === 'passport_socials') return socials.map(presentSocial)
  return field === 'credentials' ? [...credentials.map(presentCredential), ...credentialPoints] : undefined
}

/** More bytes than the name of any field, and than any number, time or boolean. */
const NAME_OR_NUMBER = 40

/**
 * At least the size of a value as JSON, also in its V1 form: the names of its fields differ, and `earned_at` may be added. A
 * UTF-16 code unit takes at most 6 bytes.
 */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 2
  if (typeof value !== 'object' || value === null) return NAME_OR_NUMBER
  let bytes = NAME_OR_NUMBER
  for (const each of Object.values(value)) bytes += NAME_OR_NUMBER + mostBytes(each)
  return bytes
}
