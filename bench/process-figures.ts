import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** Seconds of processor time that a process spent so far. Says more than a rate where other programs want the machine too. */
export function processorTime(pid: number): number {
  const [own] = timesOf(pid)
  return own
}

/** The same of a process with its children, also those that have ended. */
export function familyTime(pid: number): number {
  const [own, ended] = timesOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + processorTimeIfThere(child), own + ended)
}

function timesOf(pid: number): [own: number, ended: number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const sum = (one: number, other: number) => (Number(fields[one]) + Number(fields[other])) / TICKS_A_SECOND
  return [sum(11, 12), sum(13, 14)]
}

function processorTimeIfThere(pid: number): number {
  try {
    return processorTime(pid)
  } catch {
    return 0
  }
}

/** Megabytes of a process that are in memory now, and that were at most. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { now: read('VmRSS'), most: read('VmHWM') }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

const QUIET_MILLISECONDS = 100
const PATIENCE_MILLISECONDS = 120_000

/**
 * Waits until a server has nothing to do: what was asked for and not waited for is worked off first. `spent` tells its
 * processor time so far.
 */
export async function settle(spent: () => number): Promise<void> {
  for (const end = Date.now() + PATIENCE_MILLISECONDS; Date.now() < end; ) {
    const before = spent()
    await Bun.sleep(QUIET_MILLISECONDS)
    // A tick is a hundredth of a second: one may be the process's own housekeeping.
    if (spent() - before <= 1.5 / TICKS_A_SECOND) return
  }
  throw new Error(`A server is still busy after ${PATIENCE_MILLISECONDS / 1000} s`)
}
