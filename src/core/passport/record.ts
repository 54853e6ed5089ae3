import type { Credential } from './credential.ts'
import type { DataPoint, PointName } from './data-point.ts'
import type { Passport, PassportRef, Scores, Social } from './passport.ts'

/** Fields of a record that only V2 shows. A field is absent if its value is unknown. */
export type LaterFields = {
  imageUrl?: string | undefined
  /** Epoch milliseconds. */
  mainWalletChangedAt?: number | undefined
  nominations?: number | undefined
}

/** An imported passport. A field is absent if the source does not know its value. */
export type PassportRecord = Pick<
  Passport,
  'id' | 'human' | 'connections' | 'mainWallet' | 'verifiedWallets' | 'profile'
> &
  LaterFields & {
    socials: Social[]
    /** The original value of `human` in the record; present only if scoring changed it. */
    givenHuman?: boolean
    scores?: Scores
    /** The original scores in the record; present only if `scores` are other ones. */
    givenScores?: Scores
    stale?: boolean
    calculatedAt?: number
    /** If absent, the stored credentials are kept. */
    credentials?: Credential[]
    /** If absent, the stored data points are kept. */
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
      /** The imported bytes, or JSON of a request. Its hash shows whether the record was saved before. */
      source?: Uint8Array | string
    }
  /** A raw fact about a stored passport. */
  | { kind: 'data-point'; passport: PassportRef; point: DataPoint }
  /** Deletes the data point of this type and account. */
  | { kind: 'withdrawal'; passport: PassportRef; point: PointName }
  | { kind: 'removal'; id: number }
