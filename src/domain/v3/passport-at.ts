import type { ScoreState, ShownCredential } from '../history/event.ts'
import { presentCredential, readCredential } from '../record/record.ts'
import type { CredentialV3, PassportV3 } from './passport.ts'

/** The part of a passport that can be read as of an instant; without credentials if they were not read. */
export function stateOf(passport: PassportV3): ScoreState {
  const { scores, human, calculatedAt, rules, credentials = [] } = passport
  return { scores, human, calculatedAt, rules, credentials: credentials.map(readCredential) }
}

/** The passport with an earlier state. `now` is its current state, whose unchanged credentials are reused. */
export function toPassportAt(passport: PassportV3, now: ScoreState, state: ScoreState): PassportV3 {
  const { scores, human, calculatedAt, rules } = state
  const unchanged = new Map(now.credentials.map((each, at) => [each, passport.credentials?.[at]]))
  const toWire = (each: ShownCredential): CredentialV3 =>
    unchanged.get(each) ?? { ...presentCredential(each), from: undefined }
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
