import type { DataPoint } from './data-point.ts'
import { CREDENTIAL_ACCOUNT } from './passport.ts'
import { presentCredential, presentSocial } from './present.ts'
import type { PassportRecord } from './record.ts'

export const MAX_IMAGE_URL_BYTES = 2000

/** Data points without the members that are added when they are stored. */
const asGiven = (points: readonly DataPoint[]) =>
  points.map(({ addedAt: _, writtenFor: __, ...point }) => point)

/** The maximum bytes of each field as JSON. A passport takes at most 32,000 bytes in a list of V1, a page 8 MB. */
export const LIMITS = {
  'passport_profile.bio': { bytes: 10_000, of: ({ profile }) => profile.bio },
  'passport_profile.display_name': { bytes: 4000, of: ({ profile }) => profile.displayName },
  'passport_profile.location': { bytes: 1000, of: ({ profile }) => profile.location },
  'passport_profile.tags': { bytes: 6000, of: ({ profile }) => profile.tags },
  image_url: { bytes: MAX_IMAGE_URL_BYTES, of: ({ imageUrl = '' }) => imageUrl },
  verified_wallets: { bytes: 8000, of: ({ verifiedWallets }) => verifiedWallets },
  passport_socials: { bytes: 200_000, of: ({ socials }) => socials.map(presentSocial) },
  credentials: {
    bytes: 400_000,
    of: ({ credentials = [], credentialPoints = [] }) => [
      ...credentials.map(presentCredential),
      ...credentialPoints,
    ],
  },
  data_points: { bytes: 400_000, of: ({ dataPoints = [] }) => asGiven(dataPoints) },
} satisfies Record<string, { bytes: number; of: (record: PassportRecord) => unknown }>

/** A passport has at most this many data points, from all its records. */
const MOST_DATA_POINTS = 2000

/** Of these, an issuer may write this many. */
const MOST_OF_ISSUER = 200

/** The names, numbers and times of an entry take at most this many bytes. */
const ENTRY_BYTES = 700
/** A text of the line is stored at most this many times. */
const COPIES = 4

/** The first field that is too large, with a reason. A field that a line of `lineBytes` cannot fill is not measured. */
export function findOversized(
  record: PassportRecord,
  lineBytes = Number.POSITIVE_INFINITY,
): { field: string; reason: string } | undefined {
  const { socials, credentials, credentialPoints, dataPoints } = record
  const lists = [socials, credentials, credentialPoints, dataPoints]
  const entries = lists.reduce((count, list) => count + (list?.length ?? 0), 0)
  const largest = COPIES * lineBytes + ENTRY_BYTES * entries
  for (const [field, { bytes: most, of }] of Object.entries(LIMITS)) {
    if (largest <= most) continue
    const bytes = Buffer.byteLength(JSON.stringify(of(record)))
    if (bytes > most) {
      const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
      return { field, reason: `must be at most ${accepted} bytes as JSON, got ${received} bytes` }
    }
  }
  return undefined
}

/** Fewer cannot be too large: the 1,750 characters take at most 6 bytes each as JSON, and the rest takes 300. */
const MEASURED_FROM = 36

/**
 * Says which limit a `point` exceeds in a passport with the data points `others`. `before` is the data point that
 * it replaces. A data point that takes no more bytes than before is always accepted.
 */
export function findTooManyPoints(
  point: DataPoint,
  before: DataPoint | undefined,
  others: readonly DataPoint[],
  isIssuer: boolean,
): string | undefined {
  if (!before && others.length >= MOST_DATA_POINTS)
    return `has ${others.length} data points already, and ${MOST_DATA_POINTS} are accepted`
  const own = isIssuer ? others.filter(({ issuer }) => issuer === point.issuer).length : 0
  if (before?.issuer !== point.issuer && own >= MOST_OF_ISSUER)
    return `has ${own} data points of the issuer ${point.issuer} already, and ${MOST_OF_ISSUER} are accepted`
  if (others.length < MEASURED_FROM) return undefined
  const bytesOf = (points: readonly DataPoint[]) => Buffer.byteLength(JSON.stringify(asGiven(points)))
  const most = LIMITS.data_points.bytes
  const bytes = bytesOf([...others.filter((other) => !isFromCredential(other)), point])
  if (bytes <= most || (before && bytesOf([point]) <= bytesOf([before]))) return undefined
  const [accepted, received] = [most, bytes].map((number) => number.toLocaleString('en'))
  return `would have ${received} bytes of data points as JSON, and ${accepted} are accepted`
}

const isFromCredential = ({ account }: DataPoint) => account.startsWith(CREDENTIAL_ACCOUNT)
