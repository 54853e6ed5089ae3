import { presentCredential, readCredential } from '../v1/present.ts'
import type { LogEvent, ScoreState, ShownCredential } from './event.ts'
import type { CredentialV3, PassportV3 } from './passport.ts'
import { undo } from './undo.ts'

/** The part of a passport that can be read as of an instant; without credentials if they were not read. */
export function stateOf(passport: PassportV3): ScoreState {
  const { scores, human, calculatedAt, rules, credentials = [] } = passport
  return { scores, human, calculatedAt, rules, credentials: credentials.map(readCredential) }
}

/** The passport with these events undone, newest first; `undefined` if it did not exist. */
export function toPassportBefore(passport: PassportV3, events: readonly LogEvent[]): PassportV3 | undefined {
  const now = stateOf(passport)
  const state = undo(now, events)
  if (!state) return undefined
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
