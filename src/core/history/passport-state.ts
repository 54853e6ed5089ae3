import type { FullPassport } from '../passport/passport.ts'
import { presentCredential, readCredential } from '../passport/present.ts'
import type { WireCredential } from '../passport/wire-schemas.ts'
import type { ScoreState, ShownCredential } from './event.ts'

/** A passport as v3 shows it. */
export type PassportV3 = FullPassport & {
  /** The ids of all passports that were merged into this one, lowest first. */
  mergedFrom: number[]
  /** The rule set that calculated the scores; empty if they come from the record. */
  rules: string
  /** Absent if the credentials were not read. */
  credentials?: CredentialV3[]
}

/** `from`: what gave the score; `undefined` if unknown. `issuer` is absent if it is the operator or unknown. */
export type CredentialV3 = WireCredential & { from: 'record' | 'rule' | undefined; issuer?: string }

/** Returns the fields that can be read as of a past time. `credentials` is empty if they were not read. */
export function stateOf(passport: PassportV3): ScoreState {
  const { scores, human, calculatedAt, rules, credentials = [] } = passport
  return { scores, human, calculatedAt, rules, credentials: credentials.map(readCredential) }
}

/** Returns the passport in an earlier `state`. Credentials that are also in its current state, `now`, are reused. */
export function toPassportAt(passport: PassportV3, now: ScoreState, state: ScoreState): PassportV3 {
  const { scores, human, calculatedAt, rules } = state
  const unchanged = new Map(now.credentials.map((credential, at) => [credential, passport.credentials?.[at]]))
  const toWire = (credential: ShownCredential): CredentialV3 =>
    unchanged.get(credential) ?? { ...presentCredential(credential), from: undefined }
  return {
    ...passport,
    scores,
    human,
    calculatedAt,
    rules,
    stale: false,
    ...(passport.credentials && { credentials: state.credentials.map(toWire) }),
  }
}
