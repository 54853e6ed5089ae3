import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load } from './load.ts'

export const CONNECTIONS = 32

/** Ends the process where a program is missing. */
export function needs(programs: readonly string[], packages: string): void {
  for (const program of programs) {
    if (Bun.which(program)) continue
    console.error(`${program} is missing. Debian: apt-get install ${packages}`)
    process.exit(1)
  }
}

export function tempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'passportd-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export type Loading = {
  seconds: number
  load: Load
  connections?: number | undefined
  /** How many requests of the load were made before. */
  from?: number
}

/** How often a server was asked in one turn, and how long an answer took. */
export type Loaded = {
  requests: number
  /** A second. */
  rate: number
  /** Milliseconds. */
  mean: number
  p99: number
}

/** Slower than any answer should be; wrk itself gives up after two seconds. */
const PATIENCE = '60s'

const SUMMARY = /^summary (\d+) (\d+) ([\d.]+) (\d+)$/m

/** Loads a server for so long; throws where an answer is not 2xx or 3xx. */
export async function wrk(
  target: string,
  { seconds, load, connections = CONNECTIONS, from = 0 }: Loading,
): Promise<Loaded> {
  using folder = tempFolder()
  const script = join(folder.path, 'load.lua')
  writeFileSync(
    script,
    `${load.script(from)}
request = function() return next_request() end
done = function(summary, latency)
  print(string.format('summary %d %d %.3f %d', summary.requests, summary.duration, latency.mean, latency:percentile(99)))
end
`,
  )
  const text =
    await Bun.$`wrk -t1 -c${connections} -d${seconds}s --timeout ${PATIENCE} -s ${script} ${target}`.text()
  const [, requests, duration, mean, p99] = (SUMMARY.exec(text) ?? []).map(Number)
  if (requests === undefined || !duration || /Non-2xx|Socket errors/.test(text))
    throw new Error(`${target}\n${text}`)
  return {
    requests,
    rate: (requests * 1e6) / duration,
    mean: Number(mean) / 1000,
    p99: Number(p99) / 1000,
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Rates of one run, as a row of a table. */
export const row = (what: string, rates: readonly number[]) => ({
  what,
  'a second': Math.round(median(rates)),
  spread: `${Math.round(Math.min(...rates))}-${Math.round(Math.max(...rates))}`,
})

export const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The number that so large a share of them does not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
