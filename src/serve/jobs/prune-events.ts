import type { Store } from '../../store/store.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, type Job, pause } from './supervise.ts'

/** Deletes some events at a time: a long delete would delay other writes. */
export const pruneEvents = ({ events }: Store, days: number, signal: AbortSignal): Job => ({
  name: 'Old events cannot be deleted',
  interval: HOUR_MILLISECONDS,
  async run() {
    const before = Date.now() - days * DAY_MILLISECONDS
    while (!signal.aborted && (await events.prune(before)) > 0) await pause(0, signal)
  },
})
