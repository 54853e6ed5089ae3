import { byScore } from '../passport/credential.ts'
import type { CredentialChange, LogEvent, ScoreChange, ScoreState, ShownCredential } from './event.ts'

/**
 * The state of a passport before these events (newest first); `undefined` if it did not exist, or was removed. Read
 * the state before the events: undoing an event after that state is harmless.
 */
export function undo(state: ScoreState | undefined, events: readonly LogEvent[]): ScoreState | undefined {
  let current = state
  for (const event of events) {
    if (event.type === 'passport.added' || event.type === 'passport.removed') current = undefined
    else if (event.type === 'score.changed' && current) current = undoChange(current, event.change)
  }
  return current
}

function undoChange(state: ScoreState, change: ScoreChange): ScoreState {
  const { scores, credentials } = state
  const { score, activity, identity, skills, human, calculatedAt, rules } = change
  return {
    scores: {
      total: score[0],
      activity: activity?.[0] ?? scores.activity,
      identity: identity?.[0] ?? scores.identity,
      skills: skills?.[0] ?? scores.skills,
    },
    human: human?.[0] ?? state.human,
    calculatedAt: calculatedAt?.[0] ?? state.calculatedAt,
    rules: rules[0],
    credentials:
      change.credentials.length === 0
        ? credentials
        : change.credentials.reduce(undoCredential, [...credentials]).sort(byScore),
  }
}

function undoCredential(all: ShownCredential[], change: CredentialChange): ShownCredential[] {
  const isSameCredential = ({ id, type }: ShownCredential) =>
    change.id === undefined ? type === change.type : id === change.id
  const [before, after] = change.score
  if (before === null) return all.filter((credential) => !isSameCredential(credential))
  if (after === null)
    return [...all.filter((credential) => !isSameCredential(credential)), toCredential(change, before)]
  return all.map((credential) =>
    isSameCredential(credential) ? toCredential(change, before, credential) : credential,
  )
}

/** Returns the credential before the change. A change that removes a credential contains all its fields. */
function toCredential(
  { type, id, before: { earnedAt, ...fields } }: CredentialChange,
  score: number,
  after: Partial<ShownCredential> = {},
): ShownCredential {
  const { earnedAt: later, ...rest } = after
  const earned = earnedAt === undefined ? later : (earnedAt ?? undefined)
  return {
    ...rest,
    type,
    ...(id !== undefined && { id }),
    ...fields,
    score,
    ...(earned !== undefined && { earnedAt: earned }),
  } as ShownCredential
}
