import type { PassportRecord } from '../domain/record.ts'
import { MAX_BYTES } from '../domain/record-limits.ts'
import { presentCredential, presentSocial } from '../domain/v1/present.ts'

/** The first field that is too large, with a reason. */
export function findOversized(record: PassportRecord): { field: string; reason: string } | undefined {
  const { profile, verifiedWallets, socials, credentials = [], credentialPoints = [] } = record
  const values: Record<keyof typeof MAX_BYTES, unknown> = {
    'passport_profile.bio': profile.bio,
    'passport_profile.display_name': profile.displayName,
    'passport_profile.location': profile.location,
    'passport_profile.tags': profile.tags,
    image_url: record.imageUrl ?? '',
    verified_wallets: verifiedWallets,
    passport_socials: socials.map(presentSocial),
    credentials: [...credentials.map(presentCredential), ...credentialPoints],
    data_points: record.dataPoints ?? [],
  }
  for (const [field, most] of Object.entries(MAX_BYTES)) {
    const bytes = Buffer.byteLength(JSON.stringify(values[field as keyof typeof MAX_BYTES]))
    if (bytes > most) {
      const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
      return { field, reason: `must be at most ${accepted} bytes as JSON, got ${received} bytes` }
    }
  }
  return undefined
}
