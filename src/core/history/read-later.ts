import type { LogEvent } from './event.ts'
import { type PassportV3, stateOf } from './passport-state.ts'
import { addToDiff, beginDiff, finishDiff, type ScoreDiff } from './score-diff.ts'
import { undo } from './undo.ts'

type Page = { events: readonly LogEvent[]; before: number | undefined; knownSince: number }

/** Returns a page of the events of some passports after a time, newest first. */
type Events = {
  listAfterTime(ids: readonly number[], time: number, before?: number): Promise<Page>
}

/** Called for each page. Throws if events before `knownSince` are needed, because they are not in the log. */
type Check = (knownSince: number) => void

/**
 * Pages of the events of these passports after a time, newest first. Read the passports before the
 * events, so that no event that changed them is missing for `undo`. The event loop runs between pages.
 */
export async function* readLater(
  events: Events,
  passportIds: Iterable<number>,
  time: number,
  check: Check,
): AsyncGenerator<readonly LogEvent[]> {
  const ids = [...passportIds]
  let before: number | undefined
  do {
    const page = await events.listAfterTime(ids, time, before)
    check(page.knownSince)
    yield page.events
    before = page.before
    if (before !== undefined) await new Promise(setImmediate)
  } while (before !== undefined)
}

/** Compares the scores and credentials of a passport at two times. */
export async function readDiff(
  events: Events,
  passport: PassportV3,
  { from, to }: { from: number; to: number },
  check: Check,
): Promise<ScoreDiff> {
  let diff = beginDiff(stateOf(passport))
  for await (const page of readLater(events, [passport.id], from, check)) {
    const at = page.findIndex(({ time }) => time <= to)
    const [later, between] = at === -1 ? [page, []] : [page.slice(0, at), page.slice(at)]
    if (later.length > 0) diff = beginDiff(undo(diff.state, later))
    diff = addToDiff(diff, between)
  }
  return finishDiff(diff)
}
