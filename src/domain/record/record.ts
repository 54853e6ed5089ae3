import { type Credential, sumScores } from '../credential.ts'
import type { DataPoint } from '../data-point.ts'
import type { Passport, PassportRef, Scores, Social } from '../passport.ts'

/** Fields of a record that only V2 shows. Absent ones are unknown. */
export type LaterFields = {
  imageUrl?: string | undefined
  /** Epoch milliseconds. */
  mainWalletChangedAt?: number | undefined
  nominations?: number | undefined
}

/** An imported passport. Absent fields are unknown to its source. */
export type PassportRecord = Pick<
  Passport,
  'id' | 'human' | 'connections' | 'mainWallet' | 'verifiedWallets' | 'profile'
> &
  LaterFields & {
    socials: Social[]
    /** The value in the record, if scoring found another value for `human`. */
    givenHuman?: boolean
    scores?: Scores
    stale?: boolean
    calculatedAt?: number
    /** Absent: the stored credentials stay. */
    credentials?: Credential[]
    /** Absent: the stored data points stay. */
    dataPoints?: DataPoint[]
    /** Data points made from credentials without a score; replaced together with the credentials. */
    credentialPoints?: DataPoint[]
    mergedInto?: number
    rules?: string
  }

export type IncomingRecord =
  | {
      kind: 'passport'
      passport: PassportRecord
      /** The imported bytes: their hash recognises a record that was imported before. */
      sourceBytes?: Uint8Array
    }
  /** A raw fact about a stored passport. */
  | { kind: 'data-point'; passport: PassportRef; point: DataPoint }
  | { kind: 'removal'; id: number }

/** Whether the scores are the sums of the credentials; other scores must be calculated again. */
export function addsUp(record: PassportRecord): boolean {
  const { scores, credentials, dataPoints, credentialPoints, rules } = record
  // Data points that no rule set has scored are not in the scores.
  if (credentialPoints?.length || (dataPoints?.length && rules === undefined)) return false
  // Without credentials there is nothing to compare.
  if (!credentials?.length) return true
  if (scores === undefined) return false
  const sums = sumScores(credentials)
  // A rule set may cap a category: the total may be below the sum.
  const isSame = (part: keyof Scores) => scores[part] === sums[part]
  return isSame('activity') && isSame('identity') && isSame('skills') && scores.total <= sums.total
}

/** The stored form; empty if no field is known. */
export function toLaterText({ imageUrl, mainWalletChangedAt, nominations }: LaterFields): string {
  const text = JSON.stringify({ imageUrl, mainWalletChangedAt, nominations })
  return text === '{}' ? '' : text
}

/** Reverses `toLaterText`. */
export const fromLaterText = (text: string): LaterFields => (text === '' ? {} : JSON.parse(text))

/** The fields as V2 shows them: the image is that of the record, or else the first one of the socials. */
export function toShownFields(later: LaterFields, socials: readonly Social[]): LaterFields {
  const images = [later.imageUrl ?? '', ...socials.map(({ imageUrl }) => imageUrl)]
  return { ...later, imageUrl: images.find(isImageUrl) }
}

export const MAX_IMAGE_URL_BYTES = 2000

/** Sources also send paths and `data:` URLs. */
const isImageUrl = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) &&
  URL.canParse(text) &&
  Buffer.byteLength(JSON.stringify(text)) <= MAX_IMAGE_URL_BYTES
