import type { LogEvent, ScoreState } from '../../../src/core/history/event.ts'
import { readLater } from '../../../src/core/history/read-later.ts'
import { addToDiff, beginDiff, finishDiff, type ScoreDiff } from '../../../src/core/history/score-diff.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** All events of these passports after a time, newest first for each passport. */
export async function listLater({ events }: Store, ids: readonly number[], time: number) {
  return (await Array.fromAsync(readLater(events, ids, time, () => undefined))).flat()
}

/** Returns the difference that events made. `events` are newest first, and `state` is the state after them. */
export const diffOf = (state: ScoreState | undefined, events: readonly LogEvent[]): ScoreDiff =>
  finishDiff(addToDiff(beginDiff(state), events))
