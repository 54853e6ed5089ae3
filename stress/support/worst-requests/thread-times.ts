import { readdirSync, readFileSync } from 'node:fs'

const NANOSECONDS_PER_MILLISECOND = 1e6

/** Parse a schedstat file. `cpuOf`: milliseconds on a core. `waitOf`: milliseconds of waiting for a core. */
export const cpuOf = (schedstat: string): number =>
  Number(schedstat.split(' ')[0]) / NANOSECONDS_PER_MILLISECOND
export const waitOf = (schedstat: string): number =>
  Number(schedstat.split(' ')[1]) / NANOSECONDS_PER_MILLISECOND

/** The file with the CPU time of a thread in nanoseconds. The file `stat` has only ticks of 10 ms. */
export const schedstatOf = (pid: number, thread: string) => `/proc/${pid}/task/${thread}/schedstat`

/** Milliseconds of CPU by thread. */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = attempt(() => readFileSync(schedstatOf(pid, thread), 'utf8'))
    if (text !== undefined) times.set(thread, cpuOf(text))
  }
  return times
}

/** The CPU time of each thread since `before`, the busiest thread first. */
export const busiest = (pid: number, before: ReadonlyMap<string, number>): [thread: string, cpu: number][] =>
  [...threadTimes(pid)]
    .map(([thread, cpu]): [string, number] => [thread, cpu - (before.get(thread) ?? 0)])
    .sort(([, one], [, other]) => other - one)

const REQUESTS = 500

/** The thread that responds to requests: the worker that wakes most often while /health is requested again and again. */
export async function findServerThread(url: string, pid: number): Promise<string> {
  const before = wakesOfWorkers(pid)
  for (let sent = 0; sent < REQUESTS; sent++) await (await fetch(`${url}/health`)).text()
  const [found] = [...wakesOfWorkers(pid)]
    .map(([thread, wakes]): [string, number] => [thread, wakes - (before.get(thread) ?? 0)])
    .sort(([, one], [, other]) => other - one)
  if (found === undefined) throw new Error(`Process ${pid} has no worker thread.`)
  return found[0]
}

/** How often each worker has waited, by thread. */
function wakesOfWorkers(pid: number): Map<string, number> {
  const wakes = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = attempt(() => readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')) ?? ''
    const count = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]
    if (/^Name:\s+Worker$/m.test(status) && count !== undefined) wakes.set(thread, Number(count))
  }
  return wakes
}

/** Memory of a process in MB, without the mapped database file, even if that file is in shared memory. */
export function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024)
}

/** Returns undefined if the thread has ended meanwhile. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
