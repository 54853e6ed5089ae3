import { readFileSync } from 'node:fs'
import { childrenOf } from '../../test/support/process-info.ts'

const TICKS_PER_SECOND = 100

/** CPU time of all threads of a process. */
export function cpuSecondsOf(pid: number): number {
  const [own] = timesOf(pid)
  return own
}

/** CPU time of a process and its children, including children that have exited. */
export function treeCpuSeconds(pid: number): number {
  const [own, ended] = timesOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsIfRunning(child), own + ended)
}

function timesOf(pid: number): [own: number, ended: number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const sum = (one: number, other: number) => (Number(fields[one]) + Number(fields[other])) / TICKS_PER_SECOND
  return [sum(11, 12), sum(13, 14)]
}

function cpuSecondsIfRunning(pid: number): number {
  try {
    return cpuSecondsOf(pid)
  } catch {
    return 0
  }
}

/** Resident memory of a process without the pages of mapped files. */
export function unmappedMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return read('RssAnon') + read('RssShmem')
}

const IDLE_MILLISECONDS = 100
const LONGEST_MILLISECONDS = 900_000

/** Waits until a server is idle. `cpuSeconds` returns its CPU time so far. */
export async function waitUntilIdle(cpuSeconds: () => number): Promise<void> {
  for (const end = Date.now() + LONGEST_MILLISECONDS; Date.now() < end; ) {
    const before = cpuSeconds()
    await Bun.sleep(IDLE_MILLISECONDS)
    // A tick is 10 ms. An idle server can use one tick for background work.
    if (cpuSeconds() - before <= 1.5 / TICKS_PER_SECOND) return
  }
  throw new Error(`A server was still busy after ${LONGEST_MILLISECONDS / 1000} s`)
}
