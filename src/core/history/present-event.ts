import {
  type Change,
  causesOf,
  type EventContent,
  type LogEvent,
  type ProvenEvent,
  type ScoreChange,
} from './event.ts'
import type { WireDiff, WireEvent, WireEventData } from './event-schema.ts'
import type { ScoreDiff } from './score-diff.ts'

/** `log` is the name of the event log, `source` is the URL of the API. */
export function presentEvent(event: LogEvent, { log, source }: { log: string; source: string }): WireEvent {
  return {
    specversion: '1.0',
    id: `${log}-${event.sequence}`,
    source,
    type: event.type,
    ...('passportId' in event && { subject: String(event.passportId) }),
    time: presentTime(event.time),
    data: presentData(event),
  }
}

/** An item of a page of events, which may have proofs. */
export const presentEventItem = (event: LogEvent | ProvenEvent, names: { log: string; source: string }) =>
  event.type === 'tombstone'
    ? { id: `${names.log}-${event.sequence}`, type: event.type, leaf: event.leaf }
    : { ...presentEvent(event, names), ...('salt' in event && { salt: event.salt }) }

function presentData(event: EventContent): WireEventData {
  if (event.type === 'passport.added')
    return { score: event.score, human_checkmark: event.human, rules: presentRules(event.rules) }
  if (event.type === 'passport.changed') return { fields: [...event.fields] }
  if (event.type === 'passport.merged') return { into: event.into }
  if (event.type === 'passport.unmerged') return { from: event.from }
  if (event.type === 'passport.removed') return {}
  if (event.type === 'score.changed') return presentScoreChange(event.change)
  return { rules: mapChange(event.rules, presentRules) }
}

function presentScoreChange(change: ScoreChange) {
  const { score, activity, identity, skills, human, calculatedAt, rules, credentials } = change
  const remainder = causesOf(change).find(({ type }) => type === undefined)
  return {
    score: [...score],
    ...(activity && { activity_score: [...activity] }),
    ...(identity && { identity_score: [...identity] }),
    ...(skills && { skills_score: [...skills] }),
    ...(human && { human_checkmark: [...human] }),
    ...(calculatedAt && { last_calculated_at: mapChange(calculatedAt, presentTime) }),
    rules: presentRules(rules[1]),
    credentials: credentials.map(({ type, score, cause }) => ({ type, score: [...score], cause })),
    ...(remainder && { remainder: { delta: remainder.delta, cause: remainder.cause } }),
  }
}

export const presentTime = (time: number) => new Date(time).toISOString()

const presentRules = (stamp: string) => (stamp === '' ? null : stamp)

const mapChange = <T, U>([before, after]: Change<T>, map: (value: T) => U): [U, U] => [
  map(before),
  map(after),
]

export function presentDiff(
  passportId: number,
  { from, to }: { from: number; to: number },
  diff: ScoreDiff,
): WireDiff {
  return {
    passport_id: passportId,
    from: presentTime(from),
    to: presentTime(to),
    score: [...diff.score],
    causes: diff.causes.map(({ type = null, delta, cause }) => ({ type, delta, cause })),
  }
}
