import { type Credential, sumScores } from '../credential.ts'
import type { DataPoint } from '../data-point.ts'
import type { Passport, PassportRef, Scores, Social } from '../passport.ts'
import type { LaterFields } from './later-fields.ts'

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

/** The account of a data point that was made from a credential. */
export const credentialAccount = (id: string): string => `${CREDENTIAL_ACCOUNT}${id}`
export const CREDENTIAL_ACCOUNT = 'credential:'
