import type { Snapshot } from './snapshot.ts'

/** A million passports take 44 MB. */
const MOST_BYTES = 64_000_000

let bytes = 0

/**
 * Counts a snapshot that replaces another one in this thread. Only a full garbage collection releases old snapshots, and it
 * comes late: several of them would be kept. So the thread collects its garbage after `MOST_BYTES`.
 */
export function releaseReplaced({ ids, names }: Snapshot): void {
  bytes += ids.length * (8 + 8 + 4) + names.length
  if (bytes < MOST_BYTES) return
  bytes = 0
  // Requests that still use the replaced snapshot end meanwhile.
  setTimeout(() => Bun.gc(true), 50).unref()
}
