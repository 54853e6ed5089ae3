import { dayOf } from '../../domain/usage.ts'
import type { Store } from '../../store/store.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, type Job, pause } from './supervise.ts'

/** Deletes one day at a time: a long delete would delay other writes. */
export const removeOldUsage = ({ usage }: Store, days: number, signal: AbortSignal): Job => ({
  name: 'Old usage counts cannot be deleted',
  interval: HOUR_MILLISECONDS,
  async run() {
    const before = dayOf(Date.now() - days * DAY_MILLISECONDS)
    while (!signal.aborted && (await usage.removeOldest(before))) await pause(0, signal)
  },
})
