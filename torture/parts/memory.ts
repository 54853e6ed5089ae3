import { readFileSync } from 'node:fs'

/** What these processes have in memory, together. */
export function residentMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  )
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024)
}
