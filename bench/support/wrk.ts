import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { KEY_HEADERS } from './api-key.ts'

/** A load of wrk. `script` returns Lua that defines `request`; `from` is the number of requests in earlier runs. */
export type Load = { script: (from: number) => string; connections: number }

const CONNECTIONS = 32

/** A load whose path is a Lua expression. */
export const loadOf = (path: string, connections = CONNECTIONS): Load => ({
  connections,
  script: (from) => `math.randomseed(${from + 1})
local rest
function init() rest = string.sub(wrk.format('GET', ''), 5) end
function request() return 'GET ' .. ${path} .. rest end`,
})

/** A load of pages, as browsers request them. */
export function loadOfPages(path: string, connections: number): Load {
  const { script } = loadOf(path, connections)
  return { connections, script: (from) => `wrk.headers['Accept'] = 'text/html'\n${script(from)}` }
}

/** A load that posts JSON; the body is a Lua expression. */
export const loadOfBodies = (path: string, body: string, connections: number): Load => ({
  connections,
  script: (from) => `math.randomseed(${from + 1})
wrk.headers['Content-Type'] = 'application/json'
function request() return wrk.format('POST', '${path}', nil, ${body}) end`,
})

/** A load that requests each path of a list in turn. */
export const loadInTurn = (paths: readonly string[], connections: number): Load => ({
  connections,
  script: (from) => `local paths = {${paths.map(quote).join(',\n')}}
local at = ${from % paths.length}
function request()
  at = at % #paths + 1
  return wrk.format('GET', paths[at])
end`,
})

/** Adds a pause before each request of a load. */
export const paced = (load: Load, milliseconds: number, connections: number): Load => ({
  connections,
  script: (from) => `${load.script(from)}
function delay() return ${milliseconds} end`,
})

const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** `rate` is requests per second, `p99` is in milliseconds. */
export type LoadResult = { requests: number; rate: number; p99: number }

const SUMMARY = /^summary (\d+) (\d+) (\d+)$/m

const ERRORS = /Non-2xx|Socket errors: (?!connect 0, read 0, write 0)/

/** Runs a load for `seconds`. Throws if a response is not 2xx. On a busy machine there may be no response: that is a result. */
export async function runWrk(url: string, load: Load, seconds: number, from: number): Promise<LoadResult> {
  using folder = tempFolder()
  const script = join(folder.path, 'load.lua')
  const headers = Object.entries(KEY_HEADERS).map(([name, value]) => `wrk.headers['${name}'] = '${value}'`)
  writeFileSync(
    script,
    `${headers.join('\n')}
${load.script(from)}
function done(summary, latency)
  print(string.format('summary %d %d %d', summary.requests, summary.duration, latency:percentile(99)))
end
`,
  )
  const text =
    await Bun.$`wrk -t1 -c${load.connections} -d${seconds}s --timeout 60s -s ${script} ${url}`.text()
  const [, requests, microseconds, p99] = (SUMMARY.exec(text) ?? []).map(Number)
  if (requests === undefined || !microseconds || ERRORS.test(text)) throw new Error(`${url}\n${text}`)
  return {
    requests,
    rate: (requests * 1e6) / microseconds,
    p99: requests === 0 ? Number.NaN : Number(p99) / 1000,
  }
}
