import { roundScore } from '../passport/credential.ts'
import {
  type Change,
  causesOf,
  findRestCause,
  type LogEvent,
  type ScoreCause,
  type ScoreState,
  withRemainder,
} from './event.ts'
import { undo } from './undo.ts'

/**
 * The net change between two times. A score is `null` if there was no passport. The causes add up to the difference.
 * `at` is the time of the latest change, 0 without a change.
 */
export type ScoreDiff = { score: Change<number | null>; causes: ScoreCause[]; at: number }

/** A difference whose events are read in steps, from the newest to the oldest. */
type PartialDiff = ReturnType<typeof beginDiff>

export const beginDiff = (end: ScoreState | undefined) => ({
  /** The state before the events that were read so far. */
  state: end,
  /** The state at the later time. */
  end,
  /** The score after the newest event that changes it. */
  score: undefined as number | undefined,
  causes: [] as ScoreCause[],
  at: 0,
})

/** Adds events that are older than those added before, newest first. */
export function addToDiff(diff: PartialDiff, events: readonly LogEvent[]): PartialDiff {
  let { state, score, at } = diff
  const causes = [...diff.causes]
  for (const event of events) {
    if (!state) break
    // The passport was removed after its state was read.
    if (event.type === 'passport.removed') return beginDiff(undefined)
    if (event.type === 'score.changed' || event.type === 'passport.added') at ||= event.time
    if (event.type === 'score.changed') {
      score ??= event.change.score[1]
      causes.push(...causesOf(event.change))
    } else if (event.type === 'passport.added') {
      score ??= event.score
      causes.push(...causesOfAdding(state))
    }
    state = undo(state, [event])
  }
  return { ...diff, state, score, at, causes: mergeCauses(causes) }
}

export function finishDiff({ state, end, score, causes, at }: PartialDiff): ScoreDiff {
  const [before, after] = [state?.scores.total ?? null, score ?? end?.scores.total ?? null]
  const difference = (after ?? 0) - (before ?? 0)
  return {
    score: [before, after],
    causes: mergeCauses(withRemainder(causes, difference, end?.rules ?? '')),
    at,
  }
}

function causesOfAdding({ scores, rules, credentials }: ScoreState): ScoreCause[] {
  const causes = credentials.map(({ type, score }) => ({
    type,
    delta: roundScore(score),
    cause: 'added' as const,
  }))
  const nothing = { score: 0, rules: '', credentials: [] }
  const cause = findRestCause(nothing, { score: scores.total, rules, credentials })
  return withRemainder(causes, scores.total, rules, cause === 'uncounted' ? cause : undefined)
}

/** Adds up the causes with the same type and cause. The largest is first. */
function mergeCauses(causes: readonly ScoreCause[]): ScoreCause[] {
  const groups = Map.groupBy(causes, ({ type, cause }) => JSON.stringify([type, cause]))
  return [...groups.values()]
    .map((group) => ({
      ...(group[0] as ScoreCause),
      delta: roundScore(group.reduce((sum, { delta }) => sum + delta, 0)),
    }))
    .filter(({ delta }) => delta !== 0)
    .sort((one, other) => Math.abs(other.delta) - Math.abs(one.delta))
}
