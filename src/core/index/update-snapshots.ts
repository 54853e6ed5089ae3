import { type Job, pause } from '../basics/jobs.ts'
import type { Store } from '../store/store.ts'
import { buildSnapshot, type Snapshot, updateSnapshot } from './snapshot.ts'

/** The pause after an update is the duration of the update times the factor, within these limits. */
const LEAST_MILLISECONDS = 100
const MOST_MILLISECONDS = 1000
const PAUSE_FACTOR = 4

/** The pause before a snapshot is published. Older read transactions end meanwhile, so their rows are not cached for it. */
const READ_TRANSACTION_MILLISECONDS = 10

type Options = { onSnapshot: (snapshot: Snapshot) => void; onChecked: () => void; signal: AbortSignal }

/** Calls `onSnapshot` with each new snapshot of the ranking, and `onChecked` whenever the last one is up to date. */
export function updateSnapshots({ listing }: Store, { onSnapshot, onChecked, signal }: Options): Job {
  let snapshot: Snapshot | undefined
  return {
    name: 'The ranking is outdated',
    interval: (took) => Math.min(Math.max(LEAST_MILLISECONDS, took * PAUSE_FACTOR), MOST_MILLISECONDS),
    async run() {
      const next = snapshot ? await updateSnapshot(snapshot, listing) : await buildSnapshot(listing)
      if (next !== snapshot) {
        await pause(READ_TRANSACTION_MILLISECONDS, signal)
        onSnapshot(next)
      }
      snapshot = next
      onChecked()
    },
  }
}
