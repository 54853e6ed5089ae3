import type { FullPassport } from '../passport.ts'
import type { WireCredential } from '../record/schemas.ts'

/** A passport as v3 shows it. */
export type PassportV3 = FullPassport & {
  /** The ids of all passports that were merged into this one, lowest first. */
  mergedFrom: number[]
  /** The rule set that calculated the scores; empty if they come from the record. */
  rules: string
  /** Absent if they were not read. */
  credentials?: CredentialV3[]
}

/** `from`: the score comes from the record, or a rule calculated it; `undefined` if that is unknown. */
export type CredentialV3 = WireCredential & { from: 'record' | 'rule' | undefined }
