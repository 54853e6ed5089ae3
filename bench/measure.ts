import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CONNECTIONS = 32

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

export type Load = {
  seconds: number
  /** What wrk's Lua makes the path of each request of: a text in quotes, or an expression. */
  path: string
  headers?: Readonly<Record<string, string>>
}

/** Loads a server for so long; throws where an answer is not 2xx or 3xx. */
export async function wrk(
  target: string,
  { seconds, path, headers = {} }: Load,
): Promise<{ rate: number; requests: number }> {
  using folder = tempFolder()
  const script = join(folder.path, 'load.lua')
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers['${name}'] = '${value}'`)
  writeFileSync(script, `${lines.join('\n')}\nrequest = function() return wrk.format('GET', ${path}) end\n`)
  const text = await Bun.$`wrk -t1 -c${CONNECTIONS} -d${seconds}s -s ${script} ${target}`.text()
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(text)
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
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
