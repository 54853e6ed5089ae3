import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** Seconds of CPU time that all threads of a process have used. */
export function processorTime(pid: number): number {
  const [own] = timesOf(pid)
  return own
}

/** The same of a process and its children, including those that have ended. */
export function familyTime(pid: number): number {
  const [own, ended] = timesOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + processorTimeIfRunning(child), own + ended)
}

function timesOf(pid: number): [own: number, ended: number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const sum = (one: number, other: number) => (Number(fields[one]) + Number(fields[other])) / TICKS_A_SECOND
  return [sum(11, 12), sum(13, 14)]
}

function processorTimeIfRunning(pid: number): number {
  try {
    return processorTime(pid)
  } catch {
    return 0
  }
}

/** Resident megabytes of a process: all, and those that are not pages of mapped files. */
export function memoryOf(pid: number): { now: number; unmapped: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { now: read('VmRSS'), unmapped: read('RssAnon') + read('RssShmem') }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

const QUIET_MILLISECONDS = 100
const LONGEST_MILLISECONDS = 120_000

/** Waits until a server is idle. `spent` gives its CPU seconds so far. */
export async function settle(spent: () => number): Promise<void> {
  for (const end = Date.now() + LONGEST_MILLISECONDS; Date.now() < end; ) {
    const before = spent()
    await Bun.sleep(QUIET_MILLISECONDS)
    // A tick is 10 ms; one may be housekeeping.
    if (spent() - before <= 1.5 / TICKS_A_SECOND) return
  }
  throw new Error(`A server is still busy after ${LONGEST_MILLISECONDS / 1000} s`)
}
