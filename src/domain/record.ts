import { type Credential, sumScores } from './credential.ts'
import type { DataPoint } from './data-point.ts'
import type { Passport, PassportRef, Scores, Social } from './passport.ts'

/** A passport as it is handed in: whole, but for what its source does not tell. */
export type PassportRecord = Pick<
  Passport,
  'id' | 'human' | 'connections' | 'mainWallet' | 'verifiedWallets' | 'profile'
> & {
  socials: Social[]
  /** What the record said itself, where `human` is what scoring found. */
  givenHuman?: boolean
  scores?: Scores
  /** The source is working out a new score. */
  stale?: boolean
  calculatedAt?: number
  /** Absent: unknown, and those that are there stay. */
  credentials?: Credential[]
  /** All there are; absent: those that are here stay. */
  dataPoints?: DataPoint[]
  /** Read from credentials that have no score of their own; they come and go with the credentials. */
  credentialPoints?: DataPoint[]
  /** The passport this one was merged into. */
  mergedInto?: number
  /** The rule set that its scores were worked out with. */
  rules?: string
}

/** Anything that can be handed in. */
export type IncomingRecord =
  | {
      kind: 'passport'
      passport: PassportRecord
      /** The bytes it was read from: by them it is known again. */
      sourceBytes?: Uint8Array
    }
  /** A raw fact about a passport that is there already. */
  | { kind: 'data-point'; passport: PassportRef; point: DataPoint }
  | { kind: 'removal'; id: number }

/** Scores that add up need not be worked out again; others do. */
export function addsUp(record: PassportRecord): boolean {
  const { scores, credentials, dataPoints, credentialPoints, rules } = record
  // Data points that no rule set has seen yet are not in the scores.
  if (credentialPoints?.length || (dataPoints?.length && rules === undefined)) return false
  // Nothing to add up: the scores are all that is known.
  if (!credentials?.length) return true
  if (scores === undefined) return false
  const sums = sumScores(credentials)
  // A rule set may cap a category: then the total is below the sum.
  const isSame = (part: keyof Scores) => scores[part] === sums[part]
  return isSame('activity') && isSame('identity') && isSame('skills') && scores.total <= sums.total
}

/** The account of a data point that was read from a credential. */
export const credentialAccount = (id: string): string => `${CREDENTIAL_ACCOUNT}${id}`
export const CREDENTIAL_ACCOUNT = 'credential:'
