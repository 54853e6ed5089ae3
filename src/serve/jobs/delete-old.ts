import type { Awaitable } from '../../store/store.ts'
import { type Job, pause } from './supervise.ts'

const HOUR_MILLISECONDS = 3_600_000

type Old = {
  what: string
  days: number
  signal: AbortSignal
  /** Deletes some rows from before a time: deleting all at once would delay other writes. Returns whether there were any. */
  remove: (before: number) => Awaitable<boolean>
}

export const deleteOld = ({ what, days, signal, remove }: Old): Job => ({
  name: `Old ${what} cannot be deleted`,
  interval: HOUR_MILLISECONDS,
  async run() {
    const before = Date.now() - days * 24 * HOUR_MILLISECONDS
    while (!signal.aborted && (await remove(before))) await pause(0, signal)
  },
})
