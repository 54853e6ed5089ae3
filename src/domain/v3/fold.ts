import { roundScore } from '../credential.ts'
import {
  type Change,
  causesOf,
  type LogEvent,
  type ScoreCause,
  type ScoreState,
  withRemainder,
} from './event.ts'
import { undo } from './undo.ts'

/** The net change between two instants. `null`: the passport did not exist. The causes add up to the difference of the scores. */
export type ScoreDiff = { score: Change<number | null>; causes: ScoreCause[] }

/** Folds the events between two instants, newest first. `state` is the state at the later instant. */
export function fold(state: ScoreState | undefined, events: readonly LogEvent[]): ScoreDiff {
  let current = state
  const causes: ScoreCause[] = []
  for (const event of events) {
    if (!current) break
    if (event.type === 'score.changed') causes.push(...causesOf(event.change))
    if (event.type === 'passport.added') causes.push(...causesOfAdding(current))
    current = undo(current, [event])
  }
  return { score: [current?.scores.total ?? null, state?.scores.total ?? null], causes: sumUp(causes) }
}

function causesOfAdding({ scores, rules, credentials }: ScoreState): ScoreCause[] {
  const causes = credentials.map(({ type, score }) => ({
    type,
    delta: roundScore(score),
    cause: 'added' as const,
  }))
  return withRemainder(causes, scores.total, rules)
}

/** One entry for each type and cause, largest first. */
function sumUp(causes: readonly ScoreCause[]): ScoreCause[] {
  const groups = Map.groupBy(causes, ({ type, cause }) => JSON.stringify([type, cause]))
  return [...groups.values()]
    .map((group) => ({
      ...(group[0] as ScoreCause),
      delta: roundScore(group.reduce((sum, { delta }) => sum + delta, 0)),
    }))
    .filter(({ delta }) => delta !== 0)
    .sort((one, other) => Math.abs(other.delta) - Math.abs(one.delta))
}
