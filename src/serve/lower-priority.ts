import { getPriority, setPriority } from 'node:os'

/** If all cores are busy, another thread gets three times as much time as this one. */
const STEP = 5
const LOWEST = 19

/** Lowers the priority of this thread, so that reads do not wait. Only Linux has priorities of threads. */
export function lowerPriority(set: (priority: number) => void = setPriority): void {
  if (process.platform !== 'linux') return
  try {
    set(Math.min(getPriority() + STEP, LOWEST))
  } catch {
    // Some sandboxes refuse it. The thread works without it.
  }
}
