import { readdirSync, readFileSync } from 'node:fs'

/** The resident memory of a process in MB, its maximum, and the number of open files. */
export function statusOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024)
  return {
    memory: megabytes('VmRSS'),
    mostMemory: megabytes('VmHWM'),
    files: readdirSync(`/proc/${pid}/fd`).length,
  }
}
